import signal
import os
for each in sorted(signal.valid_signals()):
    try:
        handler = signal.getsignal(each)
    except ValueError:
        continue
    if handler is not signal.SIG_DFL:
        print(each, getattr(handler, "__name__", handler))
print(signal.pthread_sigmask(signal.SIG_BLOCK, []))
signal.signal(signal.SIGUSR1, lambda number, frame: print("got", number, frame.f_code.co_name))
os.kill(os.getpid(), signal.SIGUSR1)
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.signal(signal.SIGALRM, lambda *_: print("alarm"))
signal.pause()
