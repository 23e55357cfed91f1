def execute(params, project_path)
    return 1
