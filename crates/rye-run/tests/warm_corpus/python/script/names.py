"""What this is."""
print(__name__, __file__, __doc__, __package__, __spec__, __loader__.__class__, __builtins__)
print(list(globals()))
import sys
print(sys.modules["__main__"].__dict__ is globals())
