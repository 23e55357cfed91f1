# coding: latin-1
print("grün", len("grün"))
