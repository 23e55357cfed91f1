"""Waits for one job, and becomes the program that it names."""
import json, os, socket, sys, time


def serve(job):
    size = int.from_bytes(job.recv(4, socket.MSG_WAITALL), "big")
    wanted = json.loads(job.recv(size, socket.MSG_WAITALL))
    act = wanted.get("act")
    if act == "decline":
        job.sendall(b"-" + wanted["reason"].encode())
        sys.exit(0)
    if act == "nonsense":
        job.sendall(b"what?")
        sys.exit(0)
    if act == "silence":
        time.sleep(1000)
    if act == "death":
        os._exit(3)
    job.sendall(b"+")
    job.close()
    os.execve(wanted["program"], [wanted["program"], *wanted["args"]], {"PATH": "/usr/bin:/bin"})


if __name__ == "__main__":
    serve(socket.socket(fileno=3))
