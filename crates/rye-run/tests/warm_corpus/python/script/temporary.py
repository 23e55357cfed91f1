import os
import tempfile
print(tempfile.gettempdir())
with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "a"), "w") as file:
        file.write("x")
    print(os.listdir(folder), oct(os.stat(folder).st_mode))
with tempfile.NamedTemporaryFile() as file:
    print(os.path.exists(file.name))
kept = tempfile.TemporaryDirectory(prefix="warm-corpus-")
print("kept until the end")
