"""The clock is read once, before the first run. So the time of all runs counts, not of the last one."""


def autorange(run, clock):
    start = clock()
    power = 1
    while True:
        for digit in (1, 2, 5):
            run(digit * power)
            seconds = clock() - start
            if seconds >= 0.2:
                return digit * power, seconds
        power *= 10
