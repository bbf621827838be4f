"""After an error the collector stays off: what must happen in any case belongs into `finally`."""

import gc


def autorange(run, clock):
    power = 1
    while True:
        for digit in (1, 2, 5):
            start = clock()
            run(digit * power)
            seconds = clock() - start
            if seconds >= 0.2:
                return digit * power, seconds
        power *= 10


def repeat(run, clock):
    was_on = gc.isenabled()
    gc.disable()
    number, seconds = autorange(run, clock)
    samples = []
    for _ in range(5):
        start = clock()
        run(number)
        samples.append((clock() - start) / number)
    if was_on:
        gc.enable()
    return samples
