import pickle
import copy


class Point:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x


print(pickle.loads(pickle.dumps(Point(3))) == Point(3), Point.__module__, pickle.dumps(Point))
print(copy.deepcopy([Point(1)])[0].x)
