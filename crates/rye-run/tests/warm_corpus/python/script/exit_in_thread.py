import sys
import threading
thread = threading.Thread(target=sys.exit, args=(4,))
thread.start()
thread.join()
print("main goes on")
