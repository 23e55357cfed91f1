print("before")
if 1 is 1:
    print("odd", "\d")
