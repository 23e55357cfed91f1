import sys


class Bad:
    def __del__(self):
        raise ValueError("in a finalizer")


Bad()
print(sys.unraisablehook is sys.__unraisablehook__, sys.excepthook is sys.__excepthook__)
sys.unraisablehook = lambda args: print("own hook", args.exc_value)
Bad()
raise KeyError("after my own hook")
