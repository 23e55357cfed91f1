import json


def word():
    return json.dumps("beside")
