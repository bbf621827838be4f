"""It tries 1, 2, 4, 8: a round number reads better. Asked for are 1, 2, 5, 10, 20, 50, and so on."""


def autorange(run, clock):
    number = 1
    while True:
        start = clock()
        run(number)
        seconds = clock() - start
        if seconds >= 0.2:
            return number, seconds
        number = number * 2
