import contextlib
import gc


@contextlib.contextmanager
def collector_off():
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        (gc.enable if before else gc.disable)()


def timed(run, clock, number):
    with collector_off():
        start = clock()
        run(number)
        return clock() - start


def repeat(run, clock, number):
    return [timed(run, clock, number) / number for _ in range(5)]
