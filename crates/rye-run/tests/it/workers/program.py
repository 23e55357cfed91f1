"""Waits for one job, and becomes the program that it names."""
import json, os, socket, sys, time


def serve(job):
    size = int.from_bytes(job.recv(4, socket.MSG_WAITALL), "big")
    head, *entries = job.recv(size, socket.MSG_WAITALL).decode().split("\0")
    wanted, wanted_env = json.loads(head), dict(entry.split("=", 1) for entry in entries)
    act = wanted_env.get("ACT")
    if act == "decline":
        job.sendall(b"-not this one")
        sys.exit(0)
    if act == "stale":
        job.sendall(b"-! the world has changed")
        sys.exit(0)
    if act == "nonsense":
        job.sendall(b"?")
        sys.exit(0)
    if act == "silence":
        time.sleep(1000)
    job.sendall(b"+")
    job.close()
    os.chdir(wanted["cwd"])
    env = {**wanted_env, "STARTED_WITH": " ".join(sorted(os.environ)), "LIKE": LIKE}
    os.execve(wanted["program"], [wanted["program"], *wanted["args"]], env)


LIKE = ""
if __name__ == "__main__":
    serve(socket.socket(fileno=int(os.environ["RYE_JOB_FD"])))
