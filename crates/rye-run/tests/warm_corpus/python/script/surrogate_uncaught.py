print("ok")
print("\udcff")
