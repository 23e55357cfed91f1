"""What rye/file/glob does."""
__version__ = "1.0.0"
__tool_type__ = "python_lib"
__executor_id__ = None

from project_files import Refused, Walk, legible, matcher, tool


@tool
def execute(params, project):
    pattern = params["pattern"]
    if pattern.startswith("/") or ".." in pattern.split("/"):
        raise Refused("`pattern` is relative to `path` and has no `..` in it")
    fits = matcher(pattern)
    walk = Walk(project, params["path"], params["exclude"])
    paths, truncated = [], False
    for found in walk:
        wanted = params["type"] == "any" or found.kind == params["type"]
        if not wanted or not fits(found.path[len(walk.base):]):
            continue
        if len(paths) == params["limit"]:
            truncated = True
            break
        paths.append(found.path)
    answer = {"paths": paths, "truncated": truncated}
    if walk.unreadable:
        answer["unreadable"] = walk.unreadable
    return legible(answer)
