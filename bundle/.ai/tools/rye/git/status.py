"""Tells what has changed in the repository of the project.

Paths are those from the root of the repository. Nothing is written, not even git's index, and no program is started that the repository itself configures.
"""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/system"
__category__ = "rye/git"
__tool_description__ = (
    "Show the state of the git repository: the branch, how it stands to its upstream, and which files are staged, "
    "changed, in conflict or not tracked."
)
__tags__ = ["git", "status", "changes", "branch", "staged", "untracked", "repository"]
__tool_annotations__ = {"title": "Git status", "read_only": True, "idempotent": True, "open_world": False}
__examples__ = [{"description": "What has changed", "params": {}, "needs": "a git repository"}]
CONFIG = {"timeout": 60}
CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "paths": {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "maxItems": 1000,
            "default": [],
            "description": "Only these files or folders, relative to the project",
        },
        "untracked": {
            "type": "string",
            "enum": ["no", "normal", "all"],
            "default": "normal",
            "description": "Which files that git does not know: none, whole folders as one, or each",
        },
        "limit": {"type": "integer", "minimum": 1, "maximum": 10000, "default": 1000, "description": "How many files"},
    },
    "additionalProperties": False,
}

import git_program
from project_files import tool

CHANGES = {"M": "modified", "T": "type changed", "A": "added", "D": "deleted", "R": "renamed", "C": "copied"}


@tool
def execute(params, project):
    arguments = ["status", "--porcelain=v2", "--branch", "-z", f"--untracked-files={params['untracked']}"]
    arguments += ["--ignore-submodules=dirty", *git_program.pathspecs(project, params["paths"])]
    output, cut = git_program.run(project, arguments)
    answer = {"branch": None, "commit": None, "upstream": None, "ahead": 0, "behind": 0}
    files = []
    words = iter(git_program.text(output).split("\0"))
    for word in words:
        kind, _, rest = word.partition(" ")
        if kind == "#":
            head(answer, *rest.partition(" ")[::2])
        elif kind == "1":
            files.append(changed(rest.split(" ", 7), 7))
        elif kind == "2":
            file = changed(rest.split(" ", 8), 8)
            file["from"] = next(words)
            files.append(file)
        elif kind == "u":
            files.append({"path": rest.split(" ", 9)[9], "conflict": True})
        elif kind == "?":
            files.append({"path": rest, "untracked": True})
    answer.update(clean=not files, files=files[: params["limit"]], truncated=cut or len(files) > params["limit"])
    return answer


def head(answer, name, value):
    if name == "branch.oid" and value != "(initial)":
        answer["commit"] = value
    elif name == "branch.head" and value != "(detached)":
        answer["branch"] = value
    elif name == "branch.upstream":
        answer["upstream"] = value
    elif name == "branch.ab":
        ahead, behind = value.split(" ")
        answer.update(ahead=int(ahead), behind=-int(behind))


def changed(fields, path):
    file = {"path": fields[path]}
    staged, unstaged = fields[0]
    if staged != ".":
        file["staged"] = CHANGES.get(staged, staged)
    if unstaged != ".":
        file["unstaged"] = CHANGES.get(unstaged, unstaged)
    return file
