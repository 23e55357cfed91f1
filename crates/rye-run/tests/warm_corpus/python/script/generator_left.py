def numbers():
    try:
        yield 1
    finally:
        print("generator closed")


values = numbers()
print(next(values))
