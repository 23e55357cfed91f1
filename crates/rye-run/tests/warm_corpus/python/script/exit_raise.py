import sys
raise SystemExit(9)
