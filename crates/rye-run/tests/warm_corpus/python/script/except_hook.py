import sys


def hook(kind, value, trace):
    print("hook", kind, value, trace.tb_frame.f_code.co_name, trace.tb_next)


sys.excepthook = hook
raise ValueError("seen by the hook")
