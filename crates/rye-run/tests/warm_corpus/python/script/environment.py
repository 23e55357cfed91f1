import os
import subprocess
print(sorted(os.environ.items()))
print(sorted(os.environb.items()) == sorted((os.fsencode(k), os.fsencode(v)) for k, v in os.environ.items()))
os.environ["ADDED"] = "yes"
os.environ.pop("HOME", None)
print(sorted(subprocess.run(["env"], capture_output=True, text=True).stdout.splitlines()))
print(os.path.expandvars("$ADDED"))
