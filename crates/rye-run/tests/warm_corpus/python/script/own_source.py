import inspect
import linecache


def function(x):
    return x + 1


class Thing:
    value = 1


print(inspect.getsource(function), inspect.getsource(Thing), inspect.getsourcefile(function) == __file__)
print(len(open(__file__).read().splitlines()), linecache.getline(__file__, 1))
print(inspect.getmodule(function), function.__module__, function.__code__.co_filename == __file__)
