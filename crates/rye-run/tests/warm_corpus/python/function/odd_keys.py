"""Values and keys that JSON has not."""


def execute(params, project_path):
    return {"nan": float("nan"), "list": [float("-inf"), 1.5], (1, 2): "x", 3: None, "set": {4}}
