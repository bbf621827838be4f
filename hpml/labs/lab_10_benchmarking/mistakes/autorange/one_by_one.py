"""It calls `run(1)` again and again. `run(number)` does the loop; a loop of yours around it would be
timed as well."""


def autorange(run, clock):
    power = 1
    while True:
        for digit in (1, 2, 5):
            start = clock()
            for _ in range(digit * power):
                run(1)
            seconds = clock() - start
            if seconds >= 0.2:
                return digit * power, seconds
        power *= 10
