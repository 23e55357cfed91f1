import sys


def execute(params, project_path):
    sys.exit(3)
