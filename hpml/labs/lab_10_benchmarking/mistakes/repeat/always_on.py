"""It switches the collector on at the end, also for whoever had switched it off before the call. Ask
`gc.isenabled()` first."""

import gc


def calls_needed(run, clock):
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
    gc.disable()
    try:
        number, seconds = calls_needed(run, clock)
        samples = []
        for _ in range(5):
            start = clock()
            run(number)
            samples.append((clock() - start) / number)
        return samples
    finally:
        gc.enable()
