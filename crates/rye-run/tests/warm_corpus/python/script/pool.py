from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
import multiprocessing


def double(x):
    return 2 * x


if __name__ == "__main__":
    with ThreadPoolExecutor(3) as pool:
        print(list(pool.map(double, range(5))))
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        print(list(pool.map(double, range(5))))
    ThreadPoolExecutor(1).submit(print, "at the end")
