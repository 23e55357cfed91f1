import sys
import json
import tempfile
print(list(sys.modules))
