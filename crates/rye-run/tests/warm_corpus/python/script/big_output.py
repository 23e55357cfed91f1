import sys
for number in range(50000):
    print(number, "x" * 94)
sys.stderr.write("y" * 300000)
