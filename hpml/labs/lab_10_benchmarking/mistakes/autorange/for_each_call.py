"""It returns seconds for each call. Asked for are those of the whole run; whoever calls may divide."""


def autorange(run, clock):
    power = 1
    while True:
        for digit in (1, 2, 5):
            number = digit * power
            start = clock()
            run(number)
            seconds = clock() - start
            if seconds >= 0.2:
                return number, seconds / number
        power *= 10
