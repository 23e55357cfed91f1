VALUE = "from beside"


def execute(params, project_path):
    return VALUE
