"""Replaces exact pieces of a text file of the project.

Each edit names a piece of the file as it is, character by character with spaces and line ends, and what comes in its
place. The piece has to be there exactly once, unless `all` is set. The edits are made one after another, each in what the
one before has left; if one cannot be made, the file stays as it was.
"""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/system"
__category__ = "rye/file"
__tool_description__ = (
    "Edit a text file of the project: replace exact pieces of it, several at once. Use it to change code or a config "
    "without writing the whole file again."
)
__tags__ = ["file", "edit", "change", "replace", "modify", "patch", "text"]
__tool_annotations__ = {
    "title": "Edit a file",
    "read_only": False,
    "destructive": True,
    "idempotent": False,
    "open_world": False,
}
__examples__ = [
    {
        "description": "One replacement",
        "params": {"path": "app.cfg", "edits": [{"old": "port = 80", "new": "port = 8080"}]},
        "files": {"app.cfg": "[server]\nport = 80\n# end\n"},
        "result": {"path": "app.cfg", "replacements": [1], "bytes": 27},
    },
]
CONFIG = {"timeout": 60}
CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "The file, relative to the project"},
        "edits": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1000,
            "description": "What to replace, in order",
            "items": {
                "type": "object",
                "properties": {
                    "old": {"type": "string", "minLength": 1, "description": "The piece as it stands in the file"},
                    "new": {"type": "string", "description": "What comes in its place; nothing removes it"},
                    "all": {"type": "boolean", "default": False, "description": "Replace it wherever it stands"},
                },
                "required": ["old", "new"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["path", "edits"],
    "additionalProperties": False,
}

import os

from project_files import Refused, is_binary, tool

MAX_BYTES = 32 * 1024 * 1024


@tool
def execute(params, project):
    with project.writable(params["path"], create=False) as place:
        with place.open_file() as file:
            if os.fstat(file.fileno()).st_size > MAX_BYTES:
                raise Refused(f"`{place.path}` is larger than {MAX_BYTES} bytes")
            data = file.read()
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused(f"`{place.path}` is not a UTF-8 text") from None
        if is_binary(data):
            raise Refused(f"`{place.path}` is not a text")
        counts = []
        for number, edit in enumerate(params["edits"], start=1):
            count = text.count(edit["old"])
            check(place.path, number, edit, count, text)
            text = text.replace(edit["old"], edit["new"])
            counts.append(count)
        try:
            data = text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise Refused(f"`new` cannot be written as UTF-8: {error.reason}") from None
        place.write([data], overwrite=True)
        return {"path": place.path, "replacements": counts, "bytes": len(data)}


def check(path, number, edit, count, text):
    what = f"`old` of edit {number}"
    if edit["old"] == edit["new"]:
        raise Refused(f"{what} is the same as `new`")
    if count == 0:
        crlf = "\n" in edit["old"] and "\r\n" in text and "\r\n" not in edit["old"]
        hint = "; the lines of the file end with a carriage return and a line feed" if crlf else ""
        raise Refused(f"{what} is not in `{path}`{hint}; nothing was changed")
    if count > 1 and not edit.get("all"):
        raise Refused(
            f"{what} is {count} times in `{path}`; give more of what is around it, or set `all`; nothing was changed"
        )
