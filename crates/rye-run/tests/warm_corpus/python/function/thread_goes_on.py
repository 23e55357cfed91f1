import threading
import time


def late():
    time.sleep(0.05)
    print("late")


def execute(params, project_path):
    threading.Thread(target=late).start()
    return "returned"
