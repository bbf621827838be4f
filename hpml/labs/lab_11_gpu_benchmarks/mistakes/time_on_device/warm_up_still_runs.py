"""When the clock starts, the device may still be busy with what was launched before, the warm-up
among it. Wait for it first."""


def time_on_device(fn, device):
    fn()
    start = device.clock()
    fn()
    device.synchronize()
    return device.clock() - start
