class Odd(Exception):
    def __str__(self):
        return "two\nlines"


error = Odd()
if hasattr(error, "add_note"):
    error.add_note("a note")
raise error
