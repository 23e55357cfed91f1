def execute(params, project_path):
    return ["x" * 99] * 52000
