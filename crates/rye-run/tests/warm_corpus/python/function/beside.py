import companion


def execute(params, project_path):
    return companion.VALUE
