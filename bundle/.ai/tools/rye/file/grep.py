"""Searches the texts of the project with a regular expression.

The expressions are those of Python's `re`. Files that are not texts are passed over, and so is `.git`; links are not
followed. `truncated` says that there is more than `limit` allows. A path that is not UTF-8 is shown with `\\xNN` for each
byte that is not, and `\\x5c` for a backslash; `escaped` lists the paths of which that is so.
"""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/system"
__category__ = "rye/file"
__tool_description__ = (
    "Search the content of files of the project for a word or a regular expression, and give the lines with their "
    "numbers. Use it to find where something is defined or used."
)
__tags__ = ["file", "grep", "search", "find", "regex", "text", "code", "content", "lines"]
__tool_annotations__ = {"title": "Search in files", "read_only": True, "idempotent": True, "open_world": False}
__examples__ = [
    {
        "description": "Where something is to be done",
        "params": {"pattern": "TODO|FIXME", "context": 1},
        "files": {"README.md": "# Read me\n\nTODO: a.b\n"},
        "contains": {"matches": [{"path": "README.md", "line": 3, "text": "TODO: a.b", "before": [""]}]},
    },
    {
        "description": "Which files say so",
        "params": {"pattern": "a.b", "literal": True, "files_only": True},
        "files": {"README.md": "# Read me\n\nTODO: a.b\n"},
        "contains": {"files": ["README.md"]},
    },
]
CONFIG = {"timeout": 60}
CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "pattern": {"type": "string", "minLength": 1, "maxLength": 10000, "description": "The regular expression"},
        "literal": {"type": "boolean", "default": False, "description": "Take `pattern` for a plain text"},
        "ignore_case": {"type": "boolean", "default": False, "description": "Take capitals for small letters"},
        "path": {
            "type": "string",
            "minLength": 1,
            "default": ".",
            "description": "The folder or file to search, relative to the project",
        },
        "glob": {"type": "string", "minLength": 1, "description": "Only files whose name or path fits, such as `*.py`"},
        "exclude": {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "maxItems": 100,
            "default": [".ai/state", "node_modules", ".venv", "__pycache__"],
            "description": "Names or patterns that are left out, with everything below",
        },
        "context": {"type": "integer", "minimum": 0, "maximum": 20, "default": 0, "description": "Lines to show around"},
        "files_only": {"type": "boolean", "default": False, "description": "Give the files alone, without lines"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 5000, "default": 200, "description": "How many matches"},
    },
    "required": ["pattern"],
    "additionalProperties": False,
}

import os
import re
import stat

from project_files import Refused, Walk, is_binary, legible, matcher, tool

MAX_FILE = 32 * 1024 * 1024
MAX_LINE = 500


@tool
def execute(params, project):
    try:
        flags = re.IGNORECASE if params["ignore_case"] else 0
        wanted = re.compile(re.escape(params["pattern"]) if params["literal"] else params["pattern"], flags)
    except (re.error, RecursionError, OverflowError) as error:
        raise Refused(f"`pattern` is not a regular expression: {error}") from None
    search = Search(params, wanted)
    with project.place(params["path"]) as place:
        status = place.status()
        if status is not None and not stat.S_ISDIR(status.st_mode):
            with place.open_file() as file:
                search.file(place.path, file)
            return search.answer()
    walk = Walk(project, params["path"], params["exclude"])
    fits = matcher(params["glob"]) if "glob" in params else None
    for found in walk:
        if found.kind != "file" or (fits and not fits(found.entry.name) and not fits(found.path)):
            continue
        try:
            with found.open_file() as file:
                search.file(found.path, file)
        except (OSError, Refused) as error:
            search.skipped.append({"path": found.path, "reason": str(error)})
        if search.truncated:
            break
    search.skipped += walk.unreadable
    return search.answer()


class Search:
    def __init__(self, params, wanted):
        self.wanted, self.context, self.limit = wanted, params["context"], params["limit"]
        self.files_only = params["files_only"]
        self.found, self.skipped = [], []
        self.files = self.binary = 0
        self.truncated = False

    def file(self, path, file):
        if os.fstat(file.fileno()).st_size > MAX_FILE:
            self.skipped.append({"path": path, "reason": f"larger than {MAX_FILE} bytes"})
            return
        data = file.read(MAX_FILE)
        if is_binary(data[:8192]):
            self.binary += 1
            return
        self.files += 1
        lines = data.decode("utf-8", "replace").split("\n")
        if lines and not lines[-1]:
            lines.pop()
        for number, line in enumerate(lines):
            match = self.wanted.search(line)
            if not match:
                continue
            if len(self.found) == self.limit:
                self.truncated = True
                return
            if self.files_only:
                self.found.append(path)
                return
            self.found.append(self.match(path, lines, number, match))

    def match(self, path, lines, number, match):
        shown = {"path": path, "line": number + 1, "column": match.start() + 1, "text": cut(lines[number], match.start())}
        if self.context:
            first = max(0, number - self.context)
            shown["before"] = [cut(line) for line in lines[first:number]]
            shown["after"] = [cut(line) for line in lines[number + 1 : number + 1 + self.context]]
        return shown

    def answer(self):
        answer = {"files" if self.files_only else "matches": self.found, "truncated": self.truncated}
        answer.update(searched=self.files, binary=self.binary)
        if self.skipped:
            answer["skipped"] = self.skipped[:100]
        return legible(answer)


def cut(line, around=0):
    """A line, or a piece of a very long one."""
    line = line.rstrip("\r")
    if len(line) <= MAX_LINE:
        return line
    start = max(0, around - MAX_LINE // 2)
    end = start + MAX_LINE
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")
