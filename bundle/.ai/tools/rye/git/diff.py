"""Shows differences in the repository of the project.

Without revisions: what is changed and not staged; with `staged`, what is staged; with `from`, everything since that
revision; with `from` and `to`, what is between the two. Paths are those from the root of the repository. External programs
for differences are not used.
"""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/system"
__category__ = "rye/git"
__tool_description__ = (
    "Show the diff of the git repository: what was changed and not committed, what is staged, or what differs between "
    "two commits, as a list of files with counts and as a patch."
)
__tags__ = ["git", "diff", "difference", "patch", "compare", "changes"]
__tool_annotations__ = {"title": "Git diff", "read_only": True, "idempotent": True, "open_world": False}
__examples__ = [
    {"description": "What is not staged", "params": {}, "needs": "a git repository"},
    {
        "description": "Numbers alone, since the last commit",
        "params": {"from": "HEAD", "patch": False},
        "needs": "a git repository",
    },
]
CONFIG = {"timeout": 60}
CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "from": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "A revision: a commit, branch or tag"},
        "to": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "Another one; needs `from`"},
        "staged": {"type": "boolean", "default": False, "description": "What is staged, not what is in the files"},
        "paths": {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "maxItems": 1000,
            "default": [],
            "description": "Only these files or folders, relative to the project",
        },
        "context": {"type": "integer", "minimum": 0, "maximum": 1000, "default": 3, "description": "Lines around a change"},
        "patch": {"type": "boolean", "default": True, "description": "Give the changed lines too"},
        "max_bytes": {
            "type": "integer",
            "minimum": 1,
            "maximum": 8388608,
            "default": 262144,
            "description": "How much of the patch to give",
        },
    },
    "additionalProperties": False,
}

import git_program
from project_files import Refused, tool


@tool
def execute(params, project):
    if "to" in params and "from" not in params:
        raise Refused("`to` needs `from`")
    if "to" in params and params["staged"]:
        raise Refused("two revisions have nothing to do with what is staged: leave out `to` or `staged`")
    revisions = [git_program.revision(params[name], name) for name in ("from", "to") if name in params]
    arguments = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty", "-M"]
    arguments += ["--staged"] if params["staged"] else []
    wanted = ["--end-of-options", *revisions, *git_program.pathspecs(project, params["paths"])]
    counted, cut = git_program.run(project, [*arguments, "--numstat", "-z", *wanted])
    answer = {"files": files(git_program.text(counted))}
    if params["patch"]:
        patch, cut = git_program.run(project, [*arguments, f"--unified={params['context']}", *wanted], params["max_bytes"])
        answer["patch"] = git_program.text(patch)
    answer["truncated"] = cut
    return answer


def files(counted):
    """The numbers of lines of each file."""
    found, words = [], iter(counted.split("\0"))
    for word in words:
        if not word:
            continue
        added, removed, path = word.split("\t", 2)
        file = {"path": path}
        if not path:
            file = {"from": next(words), "path": next(words)}
        if added == "-":
            file["binary"] = True
        else:
            file.update(added=int(added), removed=int(removed))
        found.append(file)
    return found
