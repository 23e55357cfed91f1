import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/beside/shadow")
import tempfile
print(tempfile.mkdtemp is not None)
