def execute(params, project_path):
    try:
        open("/no/such/file")
    except OSError as error:
        raise RuntimeError("no file") from error
