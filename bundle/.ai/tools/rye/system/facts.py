"""Tells what machine this is, as far as a program has to know."""
__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/system"
__category__ = "rye/system"
__tool_description__ = (
    "Tell facts about this machine: operating system, processor, memory, disk space, and which interpreters and "
    "programs are installed, with their versions."
)
__tags__ = ["system", "facts", "os", "cpu", "memory", "disk", "machine", "platform", "info", "installed", "versions"]
__tool_annotations__ = {"title": "Facts about the machine", "read_only": True, "idempotent": True, "open_world": False}
__examples__ = [
    {"description": "Everything but versions", "params": {"versions": False}, "status": "success"},
    {"description": "Whether a program is there", "params": {"programs": ["bash"]}, "status": "success"},
]
CONFIG = {"timeout": 60}
CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "programs": {
            "type": "array",
            "items": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._+-]*$", "maxLength": 100},
            "maxItems": 100,
            "default": ["bash", "bun", "cargo", "deno", "docker", "git", "go", "java", "lua", "make", "node", "npm", "perl", "php", "python3", "ruby", "sqlite3", "uv"],
            "description": "Programs to look for in PATH",
        },
        "versions": {"type": "boolean", "default": True, "description": "Ask each for its version, by `--version`"},
    },
    "additionalProperties": False,
}

import os
import platform
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from project_files import tool

# What does not take `--version` as others do.
VERSION_WORDS = {"go": "version", "java": "-version", "lua": "-v"}


@tool
def execute(params, project):
    disk = shutil.disk_usage(project.root)
    with ThreadPoolExecutor(max_workers=8) as pool:
        programs = dict(zip(params["programs"], pool.map(lambda name: program(name, params["versions"]), params["programs"])))
    return {
        "os": {"system": platform.system(), "name": os_name(), "release": platform.release(), "machine": platform.machine()},
        "cpu": {"count": os.cpu_count(), "usable": len(os.sched_getaffinity(0)), "model": cpu_model(), "load": list(os.getloadavg())},
        "memory": memory(),
        "disk": {"path": project.root, "total": disk.total, "free": disk.free},
        "programs": programs,
    }


def os_name():
    fields = dict(line.split("=", 1) for line in lines("/etc/os-release") if "=" in line)
    return fields.get("PRETTY_NAME", "").strip("\"'") or None


def cpu_model():
    for line in lines("/proc/cpuinfo"):
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model", "cpu model"):
            return value.strip()
    return None


def memory():
    found = {}
    for line in lines("/proc/meminfo"):
        name, _, value = line.partition(":")
        known = {"MemTotal": "total", "MemAvailable": "available", "SwapTotal": "swap_total", "SwapFree": "swap_free"}
        if name in known:
            found[known[name]] = int(value.split()[0]) * 1024
    return found


def lines(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def program(name, with_version):
    path = shutil.which(name)
    if path is None:
        return None
    found = {"path": path}
    if with_version:
        found["version"] = version(path, VERSION_WORDS.get(name, "--version"))
    return found


def version(path, word):
    try:
        asked = subprocess.run(
            [path, word], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=5, cwd="/"
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    number = re.search(r"\d+(\.\d+)+[\w.+-]*", asked.stdout[:4096].decode("utf-8", "replace"))
    return number[0] if number and asked.returncode == 0 else None
