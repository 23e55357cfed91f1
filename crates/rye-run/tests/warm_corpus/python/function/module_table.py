import sys


def execute(params, project_path):
    return {"modules": list(sys.modules), "path": sys.path, "argv": sys.argv}
