"""A stream that nobody closes, kept by the module: what it holds is written at the end."""
import os

LOG = open(os.dup(2), "w")


def execute(params, project_path):
    LOG.write("kept\n")
    return 1
