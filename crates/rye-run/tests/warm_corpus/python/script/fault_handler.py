import faulthandler
import os
import signal
import sys
faulthandler.enable()


def deep():
    os.kill(os.getpid(), signal.SIGSEGV)


deep()
