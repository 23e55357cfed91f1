"""Lists what is in an archive of the project, without unpacking it.

A name that is not UTF-8 is shown with `\\xNN` for each byte that is not, and `\\x5c` for a backslash; `escaped` lists the names
of which that is so.
"""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/system"
__category__ = "rye/archive"
__tool_description__ = (
    "List what is in an archive of the project (zip, tar, tar.gz, tar.bz2, tar.xz) without unpacking it: names, types "
    "and sizes, and whether rye/archive/extract would refuse it."
)
__tags__ = ["archive", "list", "zip", "tar", "contents", "show"]
__tool_annotations__ = {"title": "List an archive", "read_only": True, "idempotent": True, "open_world": False}
__examples__ = [
    {
        "description": "What is in it",
        "params": {"path": "notes.zip"},
        "files": {"notes.zip": {"base64": "UEsDBBQAAAAAAAAAIVwgMDo2BgAAAAYAAAAFAAAAYS50eHRoZWxsbwpQSwECFAMUAAAAAAAAACFcIDA6NgYAAAAGAAAABQAAAAAAAAAAAAAAgAEAAAAAYS50eHRQSwUGAAAAAAEAAQAzAAAAKQAAAAAA"}},
        "result": {
            "path": "notes.zip",
            "members": [{"name": "a.txt", "type": "file", "size": 6}],
            "truncated": False,
            "problems": [],
        },
    },
]
CONFIG = {"timeout": 120}
CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "The archive, relative to the project"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 10000, "default": 1000, "description": "How many members"},
    },
    "required": ["path"],
    "additionalProperties": False,
}

import os

from archive_reader import DEFAULTS, Contents, Limits, members
from project_files import Project, Refused, bound_memory, legible, tool

BOUNDS = Limits(members=100000, total=16 * 1024**3, ratio=100000)


@tool
def execute(params, project):
    bound_memory()
    listed, problems, truncated = [], Problems(), False
    with project.place(params["path"]) as place, place.open_file() as file:
        size = os.fstat(file.fileno()).st_size
        try:
            for member in members(file, size, BOUNDS):
                problems.look_at(member, size)
                if len(listed) == params["limit"]:
                    truncated = True
                    break
                listed.append(described(member))
        except Refused as refused:
            if not listed:
                raise
            truncated = True
            problems.found.append(str(refused))
        answer = {"path": place.path, "members": listed, "truncated": truncated, "problems": problems.found[:100]}
        return legible(answer)


def described(member):
    shown = {"name": member.name, "type": member.kind}
    if member.kind == "file":
        shown["size"] = member.size
    elif member.target:
        shown["target"] = member.target
    return shown


class Problems:
    """Why rye/archive/extract would refuse it, wherever to, unless it is told to allow more."""

    def __init__(self):
        self.found, self.contents = [], Contents()
        self.count = self.total = 0
        self.is_too_much = False

    def look_at(self, member, size):
        try:
            Project.check_writable("/".join(self.contents.add(member)))
        except Refused as refused:
            self.found.append(str(refused))
        self.count += 1
        self.total += member.size
        try:
            DEFAULTS.check(self.count, self.total, size)
        except Refused as refused:
            if not self.is_too_much:
                self.found.append(str(refused))
            self.is_too_much = True
