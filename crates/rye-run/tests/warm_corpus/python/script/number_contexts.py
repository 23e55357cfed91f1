import decimal
import fractions
import math
import statistics
print(decimal.getcontext(), decimal.Decimal(1) / 3, fractions.Fraction(1, 3), math.pi, statistics.mean([1, 2, 4]))
import numbers
print(isinstance(decimal.Decimal(1), numbers.Number))
