"""Writes a whole file of the project.

The file is there whole or not at all: it is written beside its place and moved there. A file that is there already is
replaced only if `overwrite` is set, and keeps its permissions. Nothing is written below `.git`, `.ai/state` and `.ai/locks`.
"""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/system"
__category__ = "rye/file"
__tool_description__ = (
    "Write a new file of the project, with the folders on the way to it. An existing file is replaced only with "
    "`overwrite`; to change a part of one, use rye/file/edit."
)
__tags__ = ["file", "write", "create", "save", "new", "replace"]
__tool_annotations__ = {
    "title": "Write a file",
    "read_only": False,
    "destructive": True,
    "idempotent": False,
    "open_world": False,
}
__examples__ = [
    {
        "description": "A new file in a new folder",
        "params": {"path": "notes/todo.txt", "text": "read the docs\n"},
        "result": {"path": "notes/todo.txt", "bytes": 14, "created": True},
    },
]
CONFIG = {"timeout": 60}
CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "The file, relative to the project"},
        "text": {"type": "string", "description": "All that is in it afterwards"},
        "overwrite": {"type": "boolean", "default": False, "description": "Replace a file that is there already"},
        "executable": {"type": "boolean", "default": False, "description": "Make it a program that can be started"},
    },
    "required": ["path", "text"],
    "additionalProperties": False,
}

import os

from project_files import Refused, tool


@tool
def execute(params, project):
    try:
        data = params["text"].encode("utf-8")
    except UnicodeEncodeError as error:
        raise Refused(f"`text` cannot be written as UTF-8: {error.reason}") from None
    mode = 0o777 & ~_umask() if params["executable"] else None
    with project.writable(params["path"]) as place:
        created = place.write([data], params["overwrite"], mode)
        return {"path": place.path, "bytes": len(data), "created": created}


def _umask():
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
