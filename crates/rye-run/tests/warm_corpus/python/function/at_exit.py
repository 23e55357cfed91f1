import atexit


def execute(params, project_path):
    atexit.register(print, "at exit")
    return "returned"
