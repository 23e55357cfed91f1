import locale
import os
import sys
import time
print(locale.setlocale(locale.LC_ALL), locale.getpreferredencoding(False), sys.getfilesystemencoding(), sys.flags.utf8_mode)
print(time.tzname, time.timezone, time.strftime("%Z", time.localtime(0)), locale.localeconv()["decimal_point"])
