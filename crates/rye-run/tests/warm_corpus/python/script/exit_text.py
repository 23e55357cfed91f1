import sys
print('out')
sys.exit('what is wrong: ü')
