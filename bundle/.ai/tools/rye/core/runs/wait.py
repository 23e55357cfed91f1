"""Waits for the end of a run that was started in the background."""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/system"
__category__ = "rye/core/runs"
__tool_description__ = (
    "Wait until a run in the background has ended, and tell how: its state, exit code and result. If it goes on for "
    "longer than `timeout`, the answer says `running`, and it can be waited for again."
)
__tags__ = ["runs", "wait", "async", "result", "jobs", "finish"]
__tool_annotations__ = {"title": "Wait for a run", "read_only": True, "idempotent": True, "open_world": False}
__examples__ = [
    {
        "description": "Half a minute at most",
        "params": {"id": "069fsrh2", "timeout": 30},
        "needs": "a run of this id",
    },
]
CONFIG = {"timeout": 3700, "env": {"RYE_PROGRAM": "{rye}"}}
CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "id": {
            "type": "string",
            "pattern": "^[0-9A-Za-z]{1,26}$",
            "description": "The run's id, or as much of its beginning as no other has",
        },
        "timeout": {"type": "number", "minimum": 0, "maximum": 3600, "default": 60, "description": "How many seconds to wait"},
    },
    "required": ["id"],
    "additionalProperties": False,
}

from own_program import Failed, ask
from project_files import tool


@tool
def execute(params, project):
    try:
        return ask(project, "runs", "wait", f"--timeout={params['timeout']}", "--", params["id"])
    except Failed as failed:
        if failed.code != STILL_RUNNING:
            raise
    return ask(project, "runs", "show", "--", params["id"])


STILL_RUNNING = "TIMEOUT"
