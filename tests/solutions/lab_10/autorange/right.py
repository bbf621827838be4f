def autorange(run, clock):
    power = 1
    while True:
        for digit in (1, 2, 5):
            number = digit * power
            start = clock()
            run(number)
            seconds = clock() - start
            if seconds >= 0.2:
                return number, seconds
        power *= 10
