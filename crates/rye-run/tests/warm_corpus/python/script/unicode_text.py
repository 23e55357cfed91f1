import sys
print("grün 中文 😀", len("😀"), ascii("ü"))
sys.stderr.write("\ud800 and ü\n")
print(sys.stdout.encoding)
try:
    print("\ud800")
except UnicodeEncodeError as error:
    print(error)
