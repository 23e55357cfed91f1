import threading
import time
print(threading.main_thread() is threading.current_thread(), threading.main_thread().name, threading.active_count())
print(threading.main_thread().ident == threading.get_ident(), threading.enumerate())


def late():
    time.sleep(0.1)
    print("late", threading.current_thread().name, threading.current_thread().daemon)


threading.Thread(target=late).start()


def fails():
    raise ValueError("in a thread")


threading.Thread(target=fails, name="failing").start()
print("body ends")
