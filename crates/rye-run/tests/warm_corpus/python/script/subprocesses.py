import subprocess
import sys
print(subprocess.run([sys.executable, "-c", "import sys; print(sys.argv, len(sys.path) > 2)"], capture_output=True).stdout)
print(subprocess.run(["sh", "-c", "ls /proc/self/fd | wc -l; exit 3"], capture_output=True, stdin=subprocess.DEVNULL))
try:
    subprocess.run(["no-such-program-here"])
except FileNotFoundError as error:
    print(error)
subprocess.run(["sh", "-c", "echo direct"])
try:
    subprocess.run(["sleep", "5"], timeout=0.1)
except subprocess.TimeoutExpired as error:
    print(error.cmd)
