def execute(params, project_path):
    return helper(params)


def helper(params):
    raise ValueError("what is this")
