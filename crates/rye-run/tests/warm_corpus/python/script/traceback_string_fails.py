class Odd(Exception):
    def __str__(self):
        raise ValueError


raise Odd
