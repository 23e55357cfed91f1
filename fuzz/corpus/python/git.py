# .ai/tools/rye/agent/threads/capabilities/git.py
__tool_type__ = "python"
__executor_id__ = "python_runtime"  # ← Delegates to python runtime
__category__ = "capabilities"

def main(command: str, args: list = None) -> dict:
    """Execute git command."""
    return {"result": subprocess.run([command] + (args or []))}
