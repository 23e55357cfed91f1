def read():
    try:
        {}["key"]
    except KeyError as error:
        raise RuntimeError("cannot read") from error


try:
    read()
except RuntimeError:
    raise ValueError("while handling")
