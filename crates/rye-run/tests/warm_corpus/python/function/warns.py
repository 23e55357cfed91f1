import warnings


def execute(params, project_path):
    warnings.warn("careful")
    return 1
