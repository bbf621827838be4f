def time_on_device(fn, device):
    fn()
    times = []
    for _ in range(5):
        device.synchronize()
        start = device.clock()
        fn()
        device.synchronize()
        times.append(device.clock() - start)
    return min(times)
