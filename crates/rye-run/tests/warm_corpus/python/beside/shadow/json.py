def dumps(value):
    return "shadow"
