"""Our own program, asked for JSON."""
__version__ = "1.0.0"
__tool_type__ = "python_lib"
__executor_id__ = None

import json
import os
import subprocess

from project_files import Refused

# What a run that fails, or an empty list, ends with: an answer all the same.
ANSWERS = (0, 1)


def ask(project, *arguments):
    """What the program answers, or what it says is wrong."""
    command = [os.environ["RYE_PROGRAM"], "--json", "--project", project.root, *arguments]
    asked = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if asked.returncode in ANSWERS and asked.stdout.strip():
        return json.loads(asked.stdout)
    try:
        error = json.loads(asked.stderr)["error"]
    except (ValueError, KeyError, TypeError):
        lines = asked.stderr.decode("utf-8", "replace").split("\n\n")[0].split()
        raise Refused(" ".join(lines) or f"rye ended with exit code {asked.returncode}") from None
    raise Failed(error)


class Failed(Refused):
    """An error of our own program, with its code."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
