import sys
events = []
sys.settrace(lambda frame, event, arg: events.append((event, frame.f_code.co_name, frame.f_back and frame.f_back.f_code.co_name)))
(lambda: None)()
sys.settrace(None)
print(events, sys.gettrace(), sys.getprofile())
