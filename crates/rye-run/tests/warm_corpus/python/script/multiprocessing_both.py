import multiprocessing
import sys


def work(queue, word):
    queue.put((word, __name__, multiprocessing.current_process().name.split("-")[0]))


if __name__ == "__main__":
    for method in ("fork", "spawn"):
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        process = context.Process(target=work, args=(queue, method))
        process.start()
        print(queue.get(timeout=30))
        process.join()
        print(process.exitcode)
