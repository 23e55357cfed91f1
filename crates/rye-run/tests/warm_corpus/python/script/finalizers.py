import sys


class Loud:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("end of", self.name, sys is not None)


def keeps():
    return one


one = Loud("one")
_two = Loud("two")
cycle = Loud("cycle")
cycle.me = cycle
