import json


def outer(x):
    return inner(x)


def inner(x):
    return json.loads(x)


outer("{broken")
