"""A module of the library by another name."""
import os
import sys


def execute(params, project_path):
    sys.modules["another_os"] = os
    return 1
