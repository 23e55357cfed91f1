if True:
    print("a")
  print("b")
