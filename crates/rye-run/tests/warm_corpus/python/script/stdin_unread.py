print("I do not read")
