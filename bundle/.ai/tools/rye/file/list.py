"""Lists a folder of the project.

Links are shown with their targets and not followed, and `.git` is left out. A name that is not UTF-8 is shown with `\\xNN`
for each byte that is not, and `\\x5c` for a backslash; `escaped` lists the names of which that is so.
"""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/system"
__category__ = "rye/file"
__tool_description__ = (
    "List the files and folders in a folder of the project, with their sizes. Use it to find out what is there; with "
    "`depth` it shows a tree."
)
__tags__ = ["file", "folder", "directory", "list", "ls", "tree", "dir"]
__tool_annotations__ = {"title": "List a folder", "read_only": True, "idempotent": True, "open_world": False}
__examples__ = [
    {"description": "The project itself", "params": {}, "status": "success"},
    {
        "description": "Two levels, without tests",
        "params": {"path": ".", "depth": 2, "exclude": ["tests"]},
        "files": {"src/main.c": "", "tests/main_test.c": ""},
        "contains": {"entries": [{"path": "src"}, {"path": "src/main.c", "type": "file"}]},
    },
]
CONFIG = {"timeout": 60}
CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "default": ".", "description": "The folder, relative to the project"},
        "depth": {"type": "integer", "minimum": 1, "maximum": 50, "default": 1, "description": "How many levels"},
        "hidden": {"type": "boolean", "default": True, "description": "Show names that begin with a dot"},
        "exclude": {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "maxItems": 100,
            "default": [".ai/state", "node_modules", ".venv", "__pycache__"],
            "description": "Names or patterns that are left out, with everything below",
        },
        "limit": {"type": "integer", "minimum": 1, "maximum": 10000, "default": 1000, "description": "How many entries"},
    },
    "additionalProperties": False,
}

from project_files import Walk, legible, tool


@tool
def execute(params, project):
    exclude = params["exclude"] + ([] if params["hidden"] else [".*"])
    walk = Walk(project, params["path"], exclude, params["depth"])
    entries, truncated = [], False
    for found in walk:
        if len(entries) == params["limit"]:
            truncated = True
            break
        entries.append(entry(found))
    answer = {"path": walk.place.path, "entries": entries, "truncated": truncated}
    if walk.unreadable:
        answer["unreadable"] = walk.unreadable
    return legible(answer)


def entry(found):
    shown = {"path": found.path, "type": found.kind}
    try:
        if found.kind == "file":
            shown["size"] = found.status().st_size
        elif found.kind == "link":
            shown["target"] = found.target()
    except FileNotFoundError:
        shown["type"] = "gone"
    return shown
