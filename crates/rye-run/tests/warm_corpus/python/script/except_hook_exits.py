import sys
sys.excepthook = lambda *_: sys.exit(12)
raise ValueError("original")
