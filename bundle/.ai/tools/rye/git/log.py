"""Shows the history of the repository of the project, the newest commit first."""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/system"
__category__ = "rye/git"
__tool_description__ = (
    "Show the git history: commits with author, time and message, by revision, path, author, time or words. Use it to "
    "find out when and why something was changed."
)
__tags__ = ["git", "log", "history", "commits", "author", "blame", "changes"]
__tool_annotations__ = {"title": "Git log", "read_only": True, "idempotent": True, "open_world": False}
__examples__ = [
    {"description": "The last commits", "params": {"limit": 5}, "needs": "a git repository"},
    {
        "description": "What was done to a file",
        "params": {"paths": ["README.md"], "files": True},
        "needs": "a git repository",
    },
]
CONFIG = {"timeout": 60}
CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "revision": {
            "type": "string",
            "minLength": 1,
            "maxLength": 1000,
            "default": "HEAD",
            "description": "Where to start, or a range such as `v1.0..main`",
        },
        "paths": {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "maxItems": 1000,
            "default": [],
            "description": "Only commits that touch these files or folders",
        },
        "author": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "Only of authors whose name or address has this"},
        "message": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "Only with this text in the message"},
        "since": {"type": "string", "minLength": 1, "maxLength": 100, "description": "Only later than this, such as `2026-01-31` or `2 weeks ago`"},
        "until": {"type": "string", "minLength": 1, "maxLength": 100, "description": "Only earlier than this"},
        "files": {"type": "boolean", "default": False, "description": "Give the changed files of each commit too"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 20, "description": "How many commits"},
        "skip": {"type": "integer", "minimum": 0, "maximum": 10000000, "default": 0, "description": "How many to pass over"},
    },
    "additionalProperties": False,
}

import secrets

import git_program
from project_files import tool

FIELDS = ["commit", "parents", "author", "email", "time", "subject", "body"]
FORMAT = "%x00".join(["%H", "%P", "%an", "%ae", "%aI", "%s", "%b"]) + "%x00"


@tool
def execute(params, project):
    # A commit begins with a word that nobody could have put into a message or a name.
    mark = secrets.token_hex(16)
    arguments = ["log", f"--format={mark}{FORMAT}", "-z", "--no-color", "--no-ext-diff", "--no-textconv", "--no-show-signature"]
    arguments += ["--fixed-strings", "--regexp-ignore-case"]
    arguments += [f"--max-count={params['limit'] + 1}", f"--skip={params['skip']}"]
    for option, name in (("author", "author"), ("grep", "message"), ("since", "since"), ("until", "until")):
        if name in params:
            arguments.append(f"--{option}={params[name]}")
    if params["files"]:
        arguments.append("--name-only")
    arguments += ["--end-of-options", git_program.revision(params["revision"], "revision")]
    output, cut = git_program.run(project, arguments + git_program.pathspecs(project, params["paths"]))
    commits = [commit(entry, params["files"]) for entry in git_program.text(output).split(mark)[1:]]
    more = len(commits) > params["limit"]
    return {"commits": commits[: params["limit"]], "truncated": cut or more}


def commit(entry, with_files):
    parts = entry.split("\0")
    found = dict(zip(FIELDS, parts))
    found["parents"] = found["parents"].split()
    found["body"] = found.get("body", "").strip()
    if with_files:
        found["files"] = [name for name in (part.lstrip("\n") for part in parts[len(FIELDS):]) if name]
    return found
