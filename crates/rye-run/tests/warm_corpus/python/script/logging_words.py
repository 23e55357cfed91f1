import logging
import logging.handlers
logging.warning("to standard error")
logging.basicConfig(level=logging.DEBUG, format="%(levelname)s %(name)s %(module)s %(funcName)s %(lineno)d %(message)s")
logging.getLogger("here").debug("now %s", 1)
handler = logging.handlers.MemoryHandler(100, target=logging.StreamHandler())
logging.getLogger("memory").addHandler(handler)
logging.getLogger("memory").error("kept until the end")
try:
    1 / 0
except ZeroDivisionError:
    logging.exception("it failed")
print(logging.getLogger().handlers, logging.root.level)
