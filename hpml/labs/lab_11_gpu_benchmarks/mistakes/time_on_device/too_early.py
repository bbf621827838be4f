"""The clock is read when the last kernel was launched, not when it was done. Wait for the device
before the second reading."""


def time_on_device(fn, device):
    fn()
    device.synchronize()
    start = device.clock()
    fn()
    return device.clock() - start
