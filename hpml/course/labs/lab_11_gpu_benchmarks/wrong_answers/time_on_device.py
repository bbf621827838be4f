"""Wrong answers to `time_on_device`: each docstring is the diagnosis."""


def cold(fn, device):
    """The very first call is timed, and it is slower than all later ones. Make one call before
    you time."""
    device.synchronize()
    start = device.clock()
    fn()
    device.synchronize()
    return device.clock() - start


def events_behind_others(fn, device):
    """Two events measure from the moment when the device reaches the first one. While the device is
    busy with earlier work, the program already issues the call. Wait for the device first."""
    fn()
    begin, _, end = device.event(), fn(), device.event()
    return begin.elapsed_time(end) / 1e3


def never_waits(fn, device):
    """Nothing here waits for the device: the clock is read before and after a call that only
    launches."""
    start = device.clock()
    fn()
    return device.clock() - start


def several_calls(fn, device):
    """It times several calls in a row and divides. There, the launches of one call hide behind the
    kernels of the call before, so a call seems shorter than it is. Time one call."""
    fn()
    device.synchronize()
    start = device.clock()
    for _ in range(10):
        fn()
    device.synchronize()
    return (device.clock() - start) / 10


def too_early(fn, device):
    """The clock is read when the last kernel has been launched, not when it has ended. Wait for the
    device before the second reading."""
    fn()
    device.synchronize()
    start = device.clock()
    fn()
    return device.clock() - start


def warm_up_still_runs(fn, device):
    """At the first reading of the clock, the device may still be busy with earlier work, such as
    the warm-up. Wait for the device first."""
    fn()
    start = device.clock()
    fn()
    device.synchronize()
    return device.clock() - start
