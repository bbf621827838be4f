from itertools import count

SAYS: dict[str, str] = {
    "Write `autorange(run, clock)`.": "the name and the parameters, as in the stub",
    "In the check, time passes only inside `run`.": "a promise about the clock of the cases",
}


def _numbers():
    return (digit * 10**power for power in count() for digit in (1, 2, 5))


def _timed(run, clock, number):
    start = clock()
    run(number)
    return clock() - start


def _search(run, clock, numbers=None, enough=0.2, timed=_timed):
    for number in numbers or _numbers():
        seconds = timed(run, clock, number)
        if seconds >= enough:
            return number, seconds
    return None


def clock_from_0(run, clock):
    """`clock()` returns seconds since an arbitrary start"""

    def timed(run, clock, number):
        run(number)
        return clock()

    return _search(run, clock, timed=timed)


def clock_above_0(run, clock):
    """`clock()` returns seconds since an arbitrary start"""
    start = None

    def timed(run, clock, number):
        nonlocal start
        start = max(clock(), 0.0)
        run(number)
        return clock() - start

    return _search(run, clock, timed=timed)


def run_returns_seconds(run, clock):
    """executes a statement `number` times and returns nothing"""
    return _search(run, clock, timed=lambda run, clock, number: run(number) or 0.0, enough=-1.0)


def run_without_a_number(run, clock):
    """executes a statement `number` times and returns nothing"""

    def timed(run, clock, number):
        start = clock()
        for _ in range(number):
            run(1)
        return clock() - start

    return _search(run, clock, timed=timed)


def powers_of_two(run, clock):
    """Try 1, 2, 5, 10, 20, 50, 100 and so on"""
    return _search(run, clock, numbers=(2**power for power in count()))


def powers_of_ten(run, clock):
    """Try 1, 2, 5, 10, 20, 50, 100 and so on"""
    return _search(run, clock, numbers=(10**power for power in count()))


def begins_with_two(run, clock):
    """Try 1, 2, 5, 10, 20, 50, 100 and so on"""
    numbers = _numbers()
    next(numbers)
    return _search(run, clock, numbers=numbers)


def a_million_at_most(run, clock):
    """Try 1, 2, 5, 10, 20, 50, 100 and so on"""
    numbers = [number for number, _ in zip(_numbers(), range(19), strict=False)]
    return _search(run, clock, numbers=numbers) or (10**6, _timed(run, clock, 10**6))


def ten_billion_at_most(run, clock):
    """Try 1, 2, 5, 10, 20, 50, 100 and so on"""
    return _search(run, clock, numbers=[n for n, _ in zip(_numbers(), range(31), strict=False)])


def estimates_the_next(run, clock):
    """Try 1, 2, 5, 10, 20, 50, 100 and so on"""
    first = _timed(run, clock, 1)
    if first >= 0.2:
        return 1, first
    left = [number for number, _ in zip(_numbers(), range(60), strict=False) if number > 1]
    return _search(run, clock, numbers=[n for n in left if n * first >= 0.2])


def warms_up_first(run, clock):
    """each with one call of `run` between two readings of the clock"""
    run(1)
    return _search(run, clock)


def the_better_of_two(run, clock):
    """each with one call of `run` between two readings of the clock"""

    def timed(run, clock, number):
        return min(_timed(run, clock, number), _timed(run, clock, number))

    return _search(run, clock, timed=timed)


def since_the_first_reading(run, clock):
    """each with one call of `run` between two readings of the clock"""
    start = clock()

    def timed(run, clock, number):
        run(number)
        return clock() - start

    return _search(run, clock, timed=timed)


def reads_twice_before(run, clock):
    """each with one call of `run` between two readings of the clock"""

    def timed(run, clock, number):
        clock()
        return _timed(run, clock, number)

    return _search(run, clock, timed=timed)


def reads_again(run, clock):
    """read the clock only once after each run"""
    for number in _numbers():
        start = clock()
        run(number)
        if clock() - start >= 0.2:
            return number, clock() - start
    return None


def reads_again_at_the_end(run, clock):
    """read the clock only once after each run"""
    end = clock()
    for number in _numbers():
        start = end
        run(number)
        end = clock()
        if end - start >= 0.2:
            return number, clock() - start
    return None


def reads_again_each_time(run, clock):
    """read the clock only once after each run"""
    for number in _numbers():
        start = clock()
        run(number)
        seconds = clock() - start
        if seconds >= 0.2:
            return number, seconds
        clock()
    return None


def longer_than_enough(run, clock):
    """The first run of at least 0.2 seconds ends the search."""
    for number in _numbers():
        seconds = _timed(run, clock, number)
        if seconds > 0.2:
            return number, seconds
    return None


def almost_enough(run, clock):
    """The first run of at least 0.2 seconds ends the search."""
    return _search(run, clock, enough=0.1999)


def a_little_more(run, clock):
    """The first run of at least 0.2 seconds ends the search."""
    return _search(run, clock, enough=0.2001)


def half_of_it(run, clock):
    """The first run of at least 0.2 seconds ends the search."""
    return _search(run, clock, enough=0.1)


def never_the_first(run, clock):
    """The first run of at least 0.2 seconds ends the search."""
    first = _timed(run, clock, 1)
    numbers = _numbers()
    next(numbers)
    return (1, first) if 0.2 <= first < 0.25 else _search(run, clock, numbers=numbers)


def one_more_for_certainty(run, clock):
    """The first run of at least 0.2 seconds ends the search."""
    number, _ = _search(run, clock)
    return number, _timed(run, clock, number)


def seconds_first(run, clock):
    """Return its number and its seconds as a pair"""
    number, seconds = _search(run, clock)
    return seconds, number


def the_number_alone(run, clock):
    """Return its number and its seconds as a pair"""
    return _search(run, clock)[0]


def seconds_per_call(run, clock):
    """Return its number and its seconds as a pair"""
    number, seconds = _search(run, clock)
    return number, seconds / number


def milliseconds(run, clock):
    """Return its number and its seconds as a pair"""
    number, seconds = _search(run, clock)
    return number, 1000 * seconds


def rounded(run, clock):
    """Return the same seconds that you compared"""
    number, seconds = _search(run, clock)
    return number, round(seconds, 4)


def seconds_of_all_runs(run, clock):
    """Return the same seconds that you compared"""
    start, end = clock(), None
    for number in _numbers():
        before = start if end is None else end
        run(number)
        end = clock()
        if end - before >= 0.2:
            return number, end - start
    return None


def a_float_number(run, clock):
    """Return its number and its seconds as a pair"""
    number, seconds = _search(run, clock)
    return float(number), seconds
