"""Git, run so that a repository cannot make it start programs.

A repository's own configuration can name programs: a monitor of files, filters, drivers for differences, a pager, and what
fetches objects that are missing. Whoever asks for the state of a folder has not asked to run what is in it, so none of these
is used unless the user's own configuration names it, and nothing is fetched at all.
"""
__version__ = "1.0.0"
__tool_type__ = "python_lib"
__executor_id__ = None

import os
import re
import subprocess
import tempfile

from project_files import Refused

KEPT = {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH"}
NO_PROGRAMS = {
    "core.fsmonitor": "false",
    "core.pager": "cat",
    "core.hooksPath": os.devnull,
    "core.quotePath": "false",
    "diff.external": "",
    "log.showSignature": "false",
    "color.ui": "false",
    "submodule.recurse": "false",
    "diff.ignoreSubmodules": "dirty",
    "status.submoduleSummary": "false",
}
MAX_OUTPUT = 64 * 1024 * 1024
MAX_ERRORS = 65536


def run(project, arguments, most=MAX_OUTPUT):
    """What git prints for these arguments, as bytes, and whether there was more than `most`."""
    _check_folder(project)
    settings = dict(NO_PROGRAMS)
    for name in _programs_of_the_repository(project):
        settings[name] = "false" if name.endswith(".required") else ""
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    return _run(project, ["--no-pager", "--no-optional-locks", *options, *arguments], most)


def _run(project, arguments, most):
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in KEPT
    }
    environment.update(LC_ALL="C.UTF-8", GIT_TERMINAL_PROMPT="0")
    # An object that is not there is not fetched: the first says so to git from 2.45 on, the other allows no way of
    # fetching, whatever the repository says.
    environment.update(GIT_NO_LAZY_FETCH="1", GIT_ALLOW_PROTOCOL="none")
    # Errors go to a file, so that git never waits for somebody to read them.
    with tempfile.TemporaryFile() as errors:
        git = _start(project, arguments, environment, errors)
        with git:
            output = git.stdout.read(most + 1)
            if len(output) > most:
                git.kill()
                return output[:most], True
        if git.returncode != 0:
            errors.seek(0)
            said = _in_one_line(errors.read(MAX_ERRORS).decode("utf-8", "replace"))
            raise Refused(said or f"git ended with exit code {git.returncode}")
    return output, False


def _start(project, arguments, environment, errors):
    try:
        return subprocess.Popen(
            ["git", *arguments],
            cwd=project.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
    except FileNotFoundError:
        raise Refused("git is not installed: there is no `git` in PATH") from None


def _check_folder(project):
    """A repository's configuration can say that its files are in another folder; then they are not the project's."""
    output, _ = _run(project, ["rev-parse", "--show-toplevel"], MAX_OUTPUT)
    top = os.path.realpath(os.fsdecode(output).removesuffix("\n"))
    if os.path.commonpath([top, project.root]) != top:
        raise Refused(f"the files of this repository are not in the project but in `{top}`")


def _in_one_line(errors):
    lines = [re.sub(r"^(fatal|error): ", "", line) for line in errors.splitlines() if line.strip()]
    return lines[0] if lines else ""


def _programs_of_the_repository(project):
    """The names of filters and drivers that the repository itself configures."""
    output, _ = _run(project, ["config", "--list", "-z", "--show-scope", "--name-only"], MAX_OUTPUT)
    words = output.decode("utf-8", "surrogateescape").split("\0")
    names = set()
    for scope, name in zip(words[0::2], words[1::2]):
        if scope in ("local", "worktree") and re.fullmatch(r"(?s)filter\..*\.(clean|smudge|process)", name):
            if "=" in name:
                raise Refused(f"the repository configures `{name}`, which cannot be switched off because of the `=` in it")
            names.update((name, name.rsplit(".", 1)[0] + ".required"))
    return sorted(names)


def revision(value, name):
    """A revision, which cannot be taken for an option or a path."""
    if value.startswith("-") or "\0" in value or not value.strip():
        raise Refused(f"`{name}` is not the name of a revision: `{value}`")
    return value


def pathspecs(project, paths):
    """Paths below the project, taken literally."""
    return ["--", *(f":(literal){'/'.join(project.parts(path)) or '.'}" for path in paths)] if paths else ["--"]


def text(data):
    """What git printed, as a text."""
    return data.decode("utf-8", "replace")
