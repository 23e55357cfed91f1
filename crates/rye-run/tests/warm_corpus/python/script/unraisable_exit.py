import sys
sys.unraisablehook = lambda args: print("own hook", args.exc_value)
sys.exit(8)
