"""Unpacks an archive into a folder of the project.

The archive is read twice: first everything is checked, then it is unpacked. An archive is refused as a whole if it has
absolute names, names with `..`, links that lead out of it or devices, if more comes out of it than the bounds allow, or if
a file is there already and `overwrite` is not set. Links that stay inside are not made; the answer lists them. If something
goes wrong in between, the files that were made are removed again.
"""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/system"
__category__ = "rye/archive"
__tool_description__ = (
    "Extract an archive into a folder of the project: unzip a zip file, untar a tar, tar.gz, tar.bz2 or tar.xz. Hostile "
    "archives are refused, and existing files are kept unless `overwrite` is set."
)
__tags__ = ["archive", "extract", "unzip", "untar", "unpack", "decompress", "zip", "tar", "gz"]
__tool_annotations__ = {
    "title": "Unpack an archive",
    "read_only": False,
    "destructive": True,
    "idempotent": False,
    "open_world": False,
}
__examples__ = [
    {
        "description": "Into a folder of its own",
        "params": {"path": "notes.zip", "to": "unpacked"},
        "files": {"notes.zip": {"base64": "UEsDBBQAAAAAAAAAIVwgMDo2BgAAAAYAAAAFAAAAYS50eHRoZWxsbwpQSwECFAMUAAAAAAAAACFcIDA6NgYAAAAGAAAABQAAAAAAAAAAAAAAgAEAAAAAYS50eHRQSwUGAAAAAAEAAQAzAAAAKQAAAAAA"}},
        "result": {"to": "unpacked", "files": ["unpacked/a.txt"], "count": 1, "bytes": 6, "skipped": []},
    },
]
CONFIG = {"timeout": 300}
CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "The archive, relative to the project"},
        "to": {"type": "string", "minLength": 1, "description": "The folder to unpack into, relative to the project; it is made if need be"},
        "overwrite": {"type": "boolean", "default": False, "description": "Replace files that are there already"},
        "max_members": {"type": "integer", "minimum": 1, "maximum": 1000000, "default": 10000, "description": "How many members it may have"},
        "max_bytes": {
            "type": "integer",
            "minimum": 1,
            "maximum": 68719476736,
            "default": 1073741824,
            "description": "How large everything together may be",
        },
        "max_ratio": {"type": "integer", "minimum": 1, "maximum": 100000, "default": 200, "description": "How many times as large as the archive it may be"},
    },
    "required": ["path", "to"],
    "additionalProperties": False,
}

import os
import stat

from archive_reader import Contents, Limits, check_link, members, safe_parts
from project_files import Missing, Refused, bound_memory, legible, tool

SHOWN = 1000


@tool
def execute(params, project):
    bound_memory()
    limits = Limits(params["max_members"], params["max_bytes"], params["max_ratio"])
    base = project.resolved(params["to"])
    project.check_writable("/".join(base))
    with project.place(params["path"]) as place, place.open_file() as file:
        size = os.fstat(file.fileno()).st_size
        check(project, base, members(file, size, limits), params["overwrite"])
        file.seek(0)
        unpacking = Unpacking(project, base, params["overwrite"])
        try:
            for member in members(file, size, limits):
                unpacking.member(member)
        except BaseException:
            unpacking.undo()
            raise
    answer = {"to": "/".join(base) or ".", "files": unpacking.files[:SHOWN], "count": len(unpacking.files)}
    answer.update(bytes=unpacking.bytes, skipped=unpacking.skipped[:SHOWN])
    return legible(answer)


def check(project, base, found, overwrite):
    """Everything that can be known before the first file is written."""
    contents = Contents()
    for member in found:
        path = "/".join(base + contents.add(member))
        project.check_writable(path)
        if member.kind == "link":
            continue
        before = mode_of(project, path)
        if member.kind == "folder":
            if before is not None and not stat.S_ISDIR(before):
                raise Refused(f"`{path}` is there already and is not a folder")
        elif before is not None and not stat.S_ISREG(before):
            raise Refused(f"`{path}` is there already and is not a regular file")
        elif before is not None and not overwrite:
            raise Refused(f"`{path}` is there already; set `overwrite` to replace it")


def mode_of(project, path):
    """The mode of what is there, or None. Whatever is on the way to it has to be a folder."""
    try:
        with project.place(path) as place:
            status = place.status()
    except Missing:
        return None
    return None if status is None else status.st_mode


class Unpacking:
    def __init__(self, project, base, overwrite):
        self.project, self.base, self.overwrite = project, base, overwrite
        self.files, self.skipped, self.made = [], [], []
        self.bytes = 0

    def member(self, member):
        path = "/".join(self.base + safe_parts(member.name))
        if member.kind == "folder":
            with self.project.place(path + "/x", create=True):
                return
        if member.kind == "link":
            self.skipped.append({"name": member.name, "reason": f"a link to {member.target}"})
        elif member.kind == "hardlink":
            self.copy(path, check_link(member))
        else:
            self.write(path, member.chunks(), member.executable)

    def copy(self, path, target):
        """A second name for a file becomes a file of its own."""
        source = "/".join(self.base + [part for part in target.split("/") if part])
        if source not in self.files:
            raise Refused(f"the archive has a link to `{target}`, which is not before it in the archive")
        with self.project.place(source) as place, place.open_file() as file:
            executable = bool(os.fstat(file.fileno()).st_mode & 0o100)
            self.write(path, iter(lambda: file.read(1 << 20), b""), executable)

    def write(self, path, chunks, executable):
        with self.project.writable(path) as place:
            if place.path != path:
                raise Refused(f"`{path}` leads through a link to `{place.path}`")
            mode = (0o777 if executable else 0o666) & ~UMASK
            created = place.write(self.counted(chunks), self.overwrite, mode)
            self.files.append(path)
            if created:
                self.made.append(path)

    def counted(self, chunks):
        for chunk in chunks:
            self.bytes += len(chunk)
            yield chunk

    def undo(self):
        for path in self.made:
            with self.project.place(path) as place:
                os.unlink(place.name, dir_fd=place.folder)


UMASK = os.umask(0o077)
os.umask(UMASK)
