import gc


def repeat(run, clock, number):
    was_on = gc.isenabled()
    gc.disable()
    try:
        samples = []
        for _ in range(5):
            start = clock()
            run(number)
            samples.append((clock() - start) / number)
        return samples
    finally:
        if was_on:
            gc.enable()
