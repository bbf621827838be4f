def time_on_device(fn, device):
    fn()
    device.synchronize()
    start = device.clock()
    fn()
    device.synchronize()
    return device.clock() - start
