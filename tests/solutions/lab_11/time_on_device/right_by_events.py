def time_on_device(fn, device):
    for _ in range(3):
        fn()
    device.synchronize()
    begin = device.event()
    fn()
    end = device.event()
    device.synchronize()
    return begin.elapsed_time(end) / 1000
