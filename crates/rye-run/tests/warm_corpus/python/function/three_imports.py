import json
import pathlib
import re


def execute(params, project_path):
    return {"words": re.findall(r"\w+", params.get("text", "a b c")), "name": pathlib.Path(project_path).name, "json": json.dumps(params)}
