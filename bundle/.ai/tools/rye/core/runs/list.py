"""Lists runs of tools in this project, the newest first."""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/system"
__category__ = "rye/core/runs"
__tool_description__ = (
    "List the runs of tools in this project, the newest first: which tool, how it ended, and which are still running in "
    "the background. Use it to find the id of a run."
)
__tags__ = ["runs", "list", "history", "background", "jobs", "async", "status"]
__tool_annotations__ = {"title": "List runs", "read_only": True, "idempotent": True, "open_world": False}
__examples__ = [
    {"description": "The last five", "params": {"limit": 5}, "status": "success"},
    {"description": "What failed", "params": {"state": "failed"}, "status": "success"},
]
CONFIG = {"timeout": 60, "env": {"RYE_PROGRAM": "{rye}", "RYE_OWN_RUN": "{run_id}"}}
CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "state": {
            "type": "string",
            "enum": ["running", "succeeded", "failed", "timed_out", "cancelled", "lost"],
            "description": "Only runs that stand so",
        },
        "item": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "Only runs of this tool, by its id"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 20, "description": "How many"},
    },
    "additionalProperties": False,
}

import os

from own_program import ask
from project_files import tool


@tool
def execute(params, project):
    arguments = [f"--{name}={params[name]}" for name in ("state", "item") if name in params]
    # One more than is wanted, because this call is a run, too.
    found = ask(project, "runs", "list", *arguments, f"--limit={params['limit'] + 1}")["runs"]
    others = [run for run in found if run["id"] != os.environ["RYE_OWN_RUN"]]
    return {"runs": others[: params["limit"]]}
