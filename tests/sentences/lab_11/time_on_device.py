SAYS: dict[str, str] = {
    "Write `time_on_device(fn, device)`.": "the name and the parameters, as in the stub",
    "For `work` above it returns about 0.101.": "an example; `work` is a function of the lab",
}


def _seconds(fn, device, calls=1):
    device.synchronize()
    start = device.clock()
    for _ in range(calls):
        fn()
    device.synchronize()
    return device.clock() - start


def several_calls(fn, device):
    """It returns the seconds that *one* call of `fn` takes"""
    fn()
    return _seconds(fn, device, 5) / 5


def two_calls_minus_one(fn, device):
    """It returns the seconds that *one* call of `fn` takes"""
    fn()
    one = _seconds(fn, device)
    return _seconds(fn, device, 2) - one


def seconds_of_two_calls(fn, device):
    """It returns the seconds that *one* call of `fn` takes"""
    fn()
    return _seconds(fn, device, 2)


def launches_only(fn, device):
    """to the end of its last kernel"""
    fn()
    device.synchronize()
    start = device.clock()
    fn()
    return device.clock() - start


def kernels_only(fn, device):
    """to the end of its last kernel"""
    fn()
    device.synchronize()
    fn()
    start = device.clock()
    device.synchronize()
    return device.clock() - start


def milliseconds(fn, device):
    """It returns the seconds that *one* call of `fn` takes"""
    fn()
    return 1000 * _seconds(fn, device)


def whole_milliseconds(fn, device):
    """It returns the seconds that *one* call of `fn` takes"""
    fn()
    return round(_seconds(fn, device), 3)


def whole_microseconds(fn, device):
    """It returns the seconds that *one* call of `fn` takes"""
    fn()
    return round(_seconds(fn, device), 6)


def start_and_end(fn, device):
    """It returns the seconds that *one* call of `fn` takes"""
    fn()
    device.synchronize()
    start = device.clock()
    fn()
    device.synchronize()
    return start, device.clock()


def clock_from_0(fn, device):
    """The clock is `device.clock()`"""
    fn()
    device.synchronize()
    fn()
    device.synchronize()
    return device.clock()


def clock_above_0(fn, device):
    """The clock is `device.clock()`"""
    fn()
    device.synchronize()
    start = max(device.clock(), 0.0)
    fn()
    device.synchronize()
    return device.clock() - start


def events_in_milliseconds(fn, device):
    """The clock is `device.clock()`"""
    fn()
    device.synchronize()
    begin, _, end = device.event(), fn(), device.event()
    return begin.elapsed_time(end)


def by_the_functions_result(fn, device):
    """`device.synchronize()` waits for all work"""
    fn()
    device.synchronize()
    start = device.clock()
    done = fn()
    while done is not None:
        done = None
    return device.clock() - start


def one_look_at_the_queue(fn, device):
    """`device.synchronize()` waits for all work"""
    fn()
    device.synchronize()
    start = device.clock()
    fn()
    device.event()
    return device.clock() - start


def the_first_call(fn, device):
    """The first call of `fn` may be slower and must not count."""
    return _seconds(fn, device)


def the_slowest_of_two(fn, device):
    """The first call of `fn` may be slower and must not count."""
    return max(_seconds(fn, device), _seconds(fn, device))


def the_mean_of_two(fn, device):
    """The first call of `fn` may be slower and must not count."""
    return (_seconds(fn, device) + _seconds(fn, device)) / 2


def warm_up_only_if_slow(fn, device):
    """The first call of `fn` may be slower and must not count."""
    first = _seconds(fn, device)
    return first if first < 0.2 else _seconds(fn, device)


def warm_up_still_runs(fn, device):
    """Work that was launched before must not count either."""
    fn()
    start = device.clock()
    fn()
    device.synchronize()
    return device.clock() - start


def waits_before_the_warm_up_only(fn, device):
    """Work that was launched before must not count either."""
    device.synchronize()
    fn()
    start = device.clock()
    fn()
    device.synchronize()
    return device.clock() - start


def events_behind_others(fn, device):
    """Work that was launched before must not count either."""
    fn()
    begin, _, end = device.event(), fn(), device.event()
    return begin.elapsed_time(end) / 1e3


def forbidden_time(fn, device):
    """The clock is `device.clock()`"""
    import time

    fn()
    device.synchronize()
    start = time.perf_counter()
    fn()
    device.synchronize()
    return time.perf_counter() - start
