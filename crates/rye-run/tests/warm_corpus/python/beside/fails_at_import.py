import json

value = json.loads("[1, 2")
