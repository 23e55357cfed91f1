import sys


def deep(n):
    return deep(n + 1)


try:
    deep(0)
except RecursionError as error:
    print(error)
sys.setrecursionlimit(300)
try:
    deep(0)
except RecursionError as error:
    print(error, sys.getrecursionlimit())
