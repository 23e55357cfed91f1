def execute(params, project_path):
    loop = []
    loop.append(loop)
    return loop
