"""Nothing here waits for the device: two readings of the clock around a call that only launches."""


def time_on_device(fn, device):
    start = device.clock()
    fn()
    return device.clock() - start
