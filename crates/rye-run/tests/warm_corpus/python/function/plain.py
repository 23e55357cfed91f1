def execute(params, project_path):
    return {"params": params, "project": project_path.rsplit("/", 1)[-1], "name": __name__}
