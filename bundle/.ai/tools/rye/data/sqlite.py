"""Asks an SQLite database in the project.

Reading opens the file read-only and makes none. With `write`, changes are allowed; one call is one statement, which holds
as a whole or not at all. Other files cannot be attached, and nothing can be loaded into the database's program.
"""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/system"
__category__ = "rye/data"
__tool_description__ = (
    "Run an SQL query on an SQLite database file of the project and get the rows as data. It only reads unless `write` "
    "is set. Ask `SELECT name, sql FROM sqlite_master` for its tables."
)
__tags__ = ["sql", "sqlite", "database", "query", "select", "table", "rows"]
__tool_annotations__ = {
    "title": "Query SQLite",
    "read_only": False,
    "destructive": True,
    "idempotent": False,
    "open_world": False,
}
__examples__ = [
    {
        "description": "Rows that fit a value",
        "params": {"path": "shop.db", "sql": "SELECT name FROM items WHERE price < ?", "parameters": [10]},
        "needs": "a database with a table `items`",
        "result": {"columns": ["name"], "rows": [["pen"]], "truncated": False},
    },
    {
        "description": "A change",
        "params": {"path": "shop.db", "sql": "DELETE FROM items WHERE name = :name", "parameters": {"name": "pen"}, "write": True},
        "needs": "a database with a table `items`",
        "result": {"columns": [], "rows": [], "truncated": False, "changes": 1},
    },
]
CONFIG = {"timeout": 120}
CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "The database file, relative to the project"},
        "sql": {"type": "string", "minLength": 1, "maxLength": 1000000, "description": "One statement"},
        "parameters": {
            "description": "Values for `?` as a list, or for `:name` as a map",
            "anyOf": [
                {"type": "array", "items": {"type": ["string", "number", "boolean", "null"]}, "maxItems": 1000},
                {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]}},
            ],
            "default": [],
        },
        "write": {"type": "boolean", "default": False, "description": "Allow changes, and a new file"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 10000, "default": 100, "description": "How many rows"},
    },
    "required": ["path", "sql"],
    "additionalProperties": False,
}

import base64
import contextlib
import os
import shutil
import sqlite3
import stat
import tempfile
import urllib.parse

from project_files import Place, Refused, tool

MAX_TEXT = 1024 * 1024
HEADER = b"SQLite format 3\0"
# What a database says in its head that keeps a log of changes beside it.
LOGGED = b"\2\2"
# Numbers of SQLite's authorizer; Python has names for them only in later versions.
ATTACH, DETACH, PRAGMA, FUNCTION = 24, 25, 19, 31
READ_PRAGMAS = {
    "application_id", "collation_list", "compile_options", "database_list", "encoding", "foreign_key_check",
    "foreign_key_list", "freelist_count", "function_list", "index_info", "index_list", "index_xinfo", "integrity_check",
    "journal_mode", "page_count", "page_size", "pragma_list", "quick_check", "schema_version", "table_info", "table_list",
    "table_xinfo", "user_version",
}
WRITE_PRAGMAS = {"application_id", "foreign_keys", "user_version"}


@tool
def execute(params, project):
    write = params["write"]
    place = project.writable(params["path"]) if write else project.place(params["path"])
    with place, contextlib.ExitStack() as at_the_end:
        database = connect(project, place, write, at_the_end)
        try:
            return ask(database, params)
        except sqlite3.Error as error:
            hint = "; set `write` to allow changes" if "readonly" in str(error) else ""
            raise Refused(f"{error}{hint}") from None
        except (sqlite3.Warning, ValueError, OverflowError) as error:
            raise Refused(str(error)) from None
        finally:
            database.close()


def connect(project, place, write, at_the_end):
    """The database at this place, and not another that has come there meanwhile."""
    status = place.status()
    if status is None and not write:
        raise Refused(f"there is no `{place.path}` in the project")
    if status is None:
        os.close(os.open(place.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666, dir_fd=place.folder))
    with place.open_file() as file:
        head = file.read(20)
        if head and not head.startswith(HEADER):
            raise Refused(f"`{place.path}` is not an SQLite database")
        wanted = os.fstat(file.fileno())
        option = "mode=rw" if write else "mode=ro"
        path = os.path.join(project.root, place.path)
        if not write and head[18:20] == LOGGED and not exists(place, "-wal"):
            # Such a database makes two files when it is opened, unless it is said that nobody changes it. Without a log
            # there is nobody who does.
            option += "&immutable=1"
        elif not write and head[18:20] == LOGGED and not exists(place, "-shm"):
            # The log was left behind, and reading it makes a file. So a copy is read.
            path = copied(place, file, at_the_end)
            wanted = os.stat(path)
        database = opened(place, path, option)
        if not is_open(wanted, besides=file.fileno()):
            database.close()
            raise Refused(f"`{place.path}` was changed into something else while it was opened")
    if not write:
        database.execute("PRAGMA query_only = 1")
    database.set_authorizer(authorizer(write))
    return database


def opened(place, path, option):
    try:
        address = f"file:{urllib.parse.quote(path)}?{option}"
        database = sqlite3.connect(address, uri=True, timeout=10, isolation_level=None)
    except sqlite3.Error as error:
        raise Refused(f"`{place.path}`: {error}") from None
    database.text_factory = text
    return database


def text(data):
    """A text, or the bytes if it is none: a database does not look at what it is given as a text."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data


def copied(place, file, at_the_end):
    """A copy of a database and its log, outside of the project, that is gone when the tool ends."""
    folder = at_the_end.enter_context(tempfile.TemporaryDirectory())
    path = os.path.join(folder, "copy.db")
    file.seek(0)
    with open(path, "xb") as copy:
        shutil.copyfileobj(file, copy)
    with Place(place.folder, place.name + "-wal", place.path + "-wal").open_file() as log, open(path + "-wal", "xb") as copy:
        shutil.copyfileobj(log, copy)
    return path


def exists(place, suffix):
    try:
        os.stat(place.name + suffix, dir_fd=place.folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def is_open(wanted, besides):
    """Whether this process has a file open, by another descriptor than this."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) == besides:
            continue
        try:
            found = os.fstat(int(name))
        except OSError:
            continue
        if stat.S_ISREG(found.st_mode) and (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
            return True
    return False


def authorizer(write):
    def allow(action, first, second, _database, _trigger):
        if action == ATTACH:
            # An empty name is a temporary database, which VACUUM uses.
            return sqlite3.SQLITE_OK if first == "" else sqlite3.SQLITE_DENY
        if action == PRAGMA:
            name = (first or "").lower()
            allowed = name in READ_PRAGMAS and (second is None or name not in ("journal_mode", "schema_version"))
            if write and name in WRITE_PRAGMAS:
                allowed = True
            return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY
        if action == FUNCTION and (second or "").lower() == "load_extension":
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK

    return allow


def ask(database, params):
    before = database.total_changes
    cursor = database.execute(params["sql"], params["parameters"])
    columns = [column[0] for column in cursor.description or []]
    rows, truncated = [], False
    for row in cursor if columns else ():
        if len(rows) == params["limit"]:
            truncated = True
            break
        rows.append([value(cell) for cell in row])
    # A statement that changes something and gives rows has to be read to its end.
    if truncated and params["write"]:
        for _ in cursor:
            pass
    answer = {"columns": columns, "rows": rows, "truncated": truncated}
    if params["write"]:
        if database.in_transaction:
            raise Refused("a transaction of its own is not ended by this statement; nothing was changed")
        answer["changes"] = database.total_changes - before
    return answer


def value(cell):
    if isinstance(cell, bytes):
        cut = cell[:MAX_TEXT]
        return {"base64": base64.b64encode(cut).decode(), "bytes": len(cell)}
    if isinstance(cell, str) and len(cell) > MAX_TEXT:
        return cell[:MAX_TEXT] + "…"
    if isinstance(cell, float) and cell in (float("inf"), float("-inf")):
        return str(cell)
    return cell
