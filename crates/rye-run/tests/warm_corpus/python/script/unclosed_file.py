import os
text = open(os.dup(1), "w")
text.write("a line that is never flushed\n" * 3)
