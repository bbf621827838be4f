import gc

SAYS: dict[str, str] = {
    "Write `repeat(run, clock, number)`.": "the name and the parameters, as in the stub",
    "`run(number)` executes a statement `number` times and returns nothing; `clock()` returns "
    "seconds since an arbitrary start.": "what the arguments are",
    "In the check, time passes only inside `run`.": "a promise about the clock of the cases",
}


def _timed(run, clock, number):
    start = clock()
    run(number)
    return clock() - start


def _samples(run, clock, number, samples=5):
    return [_timed(run, clock, number) / number for _ in range(samples)]


def _without_collector(run, clock, number, sampling=_samples):
    was_on = gc.isenabled()
    gc.disable()
    try:
        return sampling(run, clock, number)
    finally:
        if was_on:
            gc.enable()


def one_call_a_run(run, clock, number):
    """each is one `run(number)`"""

    def sampling(run, clock, number):
        return [_timed(run, clock, 1) for _ in range(5)]

    return _without_collector(run, clock, number, sampling)


def four(run, clock, number):
    """Your function takes five samples"""
    return _without_collector(
        run, clock, number, lambda run, clock, number: _samples(run, clock, number, 4)
    )


def one_more_to_warm_up(run, clock, number):
    """Your function takes five samples"""

    def sampling(run, clock, number):
        run(number)
        return _samples(run, clock, number)

    return _without_collector(run, clock, number, sampling)


def best_five_of_six(run, clock, number):
    """Your function takes five samples"""

    def sampling(run, clock, number):
        found = _samples(run, clock, number, 6)
        found.remove(max(found))
        return found

    return _without_collector(run, clock, number, sampling)


def whole_runs(run, clock, number):
    """timed by two readings of the clock, in seconds *per call*"""

    def sampling(run, clock, number):
        return [_timed(run, clock, number) for _ in range(5)]

    return _without_collector(run, clock, number, sampling)


def reads_too_often(run, clock, number):
    """timed by two readings of the clock, in seconds *per call*"""

    def sampling(run, clock, number):
        found = []
        for _ in range(5):
            found.append(_timed(run, clock, number) / number)
            clock()
        return found

    return _without_collector(run, clock, number, sampling)


def since_the_first(run, clock, number):
    """timed by two readings of the clock, in seconds *per call*"""

    def sampling(run, clock, number):
        start, found = clock(), []
        for place in range(1, 6):
            run(number)
            found.append((clock() - start) / number / place)
        return found

    return _without_collector(run, clock, number, sampling)


def all_in_one_run(run, clock, number):
    """timed by two readings of the clock, in seconds *per call*"""

    def sampling(run, clock, number):
        return 5 * [_timed(run, clock, 5 * number) / number / 5]

    return _without_collector(run, clock, number, sampling)


def whole_microseconds(run, clock, number):
    """timed by two readings of the clock, in seconds *per call*"""
    return [round(each, 6) for each in _without_collector(run, clock, number)]


def in_order_of_size(run, clock, number):
    """It returns these five in a list, in the order taken."""
    return sorted(_without_collector(run, clock, number))


def last_first(run, clock, number):
    """It returns these five in a list, in the order taken."""
    return _without_collector(run, clock, number)[::-1]


def the_best(run, clock, number):
    """It returns these five in a list, in the order taken."""
    return min(_without_collector(run, clock, number))


def number_and_list(run, clock, number):
    """It returns these five in a list, in the order taken."""
    return 5, _without_collector(run, clock, number)


def collector_forgotten(run, clock, number):
    """it is off whenever `run` is called"""
    return _samples(run, clock, number)


def on_after_the_first_sample(run, clock, number):
    """it is off whenever `run` is called"""

    def sampling(run, clock, number):
        found = [_timed(run, clock, number) / number]
        gc.enable()
        return found + [_timed(run, clock, number) / number for _ in range(4)]

    return _without_collector(run, clock, number, sampling)


def collects_first(run, clock, number):
    """it is off whenever `run` is called"""
    gc.collect()
    return _samples(run, clock, number)


def always_on_afterwards(run, clock, number):
    """Afterwards it is in the state it was in before"""
    gc.disable()
    try:
        return _samples(run, clock, number)
    finally:
        gc.enable()


def always_off_afterwards(run, clock, number):
    """Afterwards it is in the state it was in before"""
    gc.disable()
    return _samples(run, clock, number)


def not_after_an_error(run, clock, number):
    """on or off, even if `run` raises"""
    was_on = gc.isenabled()
    gc.disable()
    found = _samples(run, clock, number)
    if was_on:
        gc.enable()
    return found


def after_an_exception_only(run, clock, number):
    """on or off, even if `run` raises"""
    was_on = gc.isenabled()
    gc.disable()
    try:
        found = _samples(run, clock, number)
    except Exception:
        if was_on:
            gc.enable()
        raise
    if was_on:
        gc.enable()
    return found


def after_an_exception_or_an_interrupt(run, clock, number):
    """on or off, even if `run` raises"""
    was_on = gc.isenabled()
    gc.disable()
    try:
        found = _samples(run, clock, number)
    except (Exception, KeyboardInterrupt):
        if was_on:
            gc.enable()
        raise
    if was_on:
        gc.enable()
    return found


def on_after_an_error(run, clock, number):
    """on or off, even if `run` raises"""
    was_on = gc.isenabled()
    gc.disable()
    try:
        found = _samples(run, clock, number)
    except BaseException:
        gc.enable()
        raise
    if was_on:
        gc.enable()
    return found


def only_around_the_last_four(run, clock, number):
    """on or off, even if `run` raises"""
    was_on = gc.isenabled()
    gc.disable()
    first = _timed(run, clock, number) / number
    try:
        return [first, *(_timed(run, clock, number) / number for _ in range(4))]
    finally:
        if was_on:
            gc.enable()


def the_error_is_swallowed(run, clock, number):
    """on or off, even if `run` raises"""
    try:
        return _without_collector(run, clock, number)
    except Exception:
        return []
