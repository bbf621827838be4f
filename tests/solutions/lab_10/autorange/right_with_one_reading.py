from itertools import count


def autorange(run, clock):
    before = clock()
    for place in count():
        number = (1, 2, 5)[place % 3] * 10 ** (place // 3)
        run(number)
        after = clock()
        if after - before >= 0.2:
            return [number, after - before]
        before = after
