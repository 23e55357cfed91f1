import sys
print("at import")


def execute(params, project_path):
    print("to standard error")
    sys.stderr.write("directly\n")
    import os
    os.system("echo from a shell")
    return None
