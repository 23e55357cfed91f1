import os
import signal


def execute(params, project_path):
    os.kill(os.getpid(), signal.SIGKILL)
