import gc
print(gc.isenabled(), gc.get_threshold(), gc.callbacks, gc.garbage, gc.get_debug())


class Node:
    pass


for _ in range(5):
    node = Node()
    node.me = node
del node
print(gc.collect() > 0)
