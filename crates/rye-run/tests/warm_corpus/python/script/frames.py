import inspect
import sys
import traceback
print([frame.function for frame in inspect.stack()])
print(sys._getframe().f_back)
traceback.print_stack()
try:
    sys._getframe(1)
except ValueError as error:
    print(error)
print(sys.exc_info())
