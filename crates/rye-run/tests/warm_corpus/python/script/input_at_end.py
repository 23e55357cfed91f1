import sys
sys.stdin.read()
print(input("question? "))
