"""Reads a file of the project.

A text is given with its line numbers' range, so that a long file can be read in pieces: `next_line` says where the next
piece starts, or `next_byte` where that is in the middle of a line. A file that is not a text is refused unless `encoding` is
`base64`.
"""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/system"
__category__ = "rye/file"
__tool_description__ = (
    "Read a file of the project: all of it, or a range of lines. Use it to look at a source file, a config or a log "
    "before changing it."
)
__tags__ = ["file", "read", "open", "cat", "view", "show", "content", "lines", "text"]
__tool_annotations__ = {"title": "Read a file", "read_only": True, "idempotent": True, "open_world": False}
__examples__ = [
    {
        "description": "A whole file",
        "params": {"path": "README.md"},
        "files": {"README.md": "# Read me\n\nTODO: a.b\n"},
        "contains": {"text": "# Read me\n\nTODO: a.b\n", "total_lines": 3},
    },
    {
        "description": "Ten lines",
        "params": {"path": "README.md", "start_line": 1, "end_line": 10},
        "files": {"README.md": "# Read me\n\nTODO: a.b\n"},
        "contains": {"start_line": 1, "end_line": 3, "truncated": False},
    },
]
CONFIG = {"timeout": 60}
CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "The file, relative to the project"},
        "start_line": {"type": "integer", "minimum": 1, "default": 1, "description": "The first line to give"},
        "end_line": {"type": "integer", "minimum": 1, "description": "The last line to give; by default that of the file"},
        "start_byte": {
            "type": "integer",
            "minimum": 0,
            "default": 0,
            "description": "Where in the file to start; lines are counted from there",
        },
        "max_bytes": {
            "type": "integer",
            "minimum": 1,
            "maximum": 8388608,
            "default": 262144,
            "description": "How much to give at most; what is left starts at `next_line` or `next_byte` of the answer",
        },
        "encoding": {
            "type": "string",
            "enum": ["utf-8", "base64"],
            "default": "utf-8",
            "description": "`base64` gives the bytes of any file, and no lines",
        },
    },
    "required": ["path"],
    "additionalProperties": False,
}

import base64
import os

from project_files import Refused, is_binary, tool

CHUNK = 65536


@tool
def execute(params, project):
    start, end = params["start_line"], params.get("end_line")
    if end is not None and end < start:
        raise Refused(f"`end_line` {end} comes before `start_line` {start}")
    with project.place(params["path"]) as place, place.open_file() as file:
        size = os.fstat(file.fileno()).st_size
        answer = {"path": place.path, "size": size}
        if params["encoding"] == "base64":
            file.seek(params["start_byte"])
            data = file.read(params["max_bytes"])
            answer.update(base64=base64.b64encode(data).decode(), truncated=file.tell() < size)
            if answer["truncated"]:
                answer["next_byte"] = file.tell()
            return answer
        if is_binary(file.read(8192)):
            raise Refused(f"`{place.path}` is not a text ({size} bytes); set `encoding` to `base64` to read it")
        file.seek(params["start_byte"])
        answer.update(lines(file, start, end, params["max_bytes"]))
        return answer


def lines(file, start, end, most):
    """The wanted lines, as far as they fit."""
    line, at_start, kept, held = 1, True, [], 0
    first = file.tell()
    cut = ended = is_torn = False
    while True:
        piece = file.readline(CHUNK)
        if not piece:
            ended = True
            break
        if end is not None and line > end:
            break
        if line >= start:
            room = most - held
            if len(piece) > room:
                kept.append(piece[:room])
                at_start, cut = False, True
                break
            kept.append(piece)
            held += len(piece)
        else:
            first += len(piece)
        at_start = piece.endswith(b"\n")
        line += at_start
    data = b"".join(kept)
    if cut:
        # A line is not torn, unless it is longer than everything that fits.
        is_torn = b"\n" not in data
        data = whole_characters(data) if is_torn else data[: data.rfind(b"\n") + 1]
    text = data.decode("utf-8", "replace")
    given = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    answer = {"text": text, "start_line": start, "end_line": start + given - 1, "truncated": cut}
    if ended:
        answer["total_lines"] = line - 1 if at_start else line
        if start > max(answer["total_lines"], 1):
            raise Refused(f"the file has {answer['total_lines']} lines, so there is no line {start}")
    elif is_torn:
        answer["next_byte"] = first + len(data)
    elif cut or end is not None:
        answer["next_line"] = start + given
    if "\ufffd" in text and _is_lossy(data):
        answer["lossy"] = True
    return answer


def whole_characters(data):
    """The same without a character that is cut off at its end."""
    for cut in range(min(4, len(data))):
        head = data[: len(data) - cut]
        if not _is_lossy(head):
            return head
    return data


def _is_lossy(data):
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False
