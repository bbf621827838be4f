def calls_to_break_even(compile_time, slow, fast):
    if not fast < slow:
        return float("inf")
    n = 1
    while compile_time + n * fast > n * slow:
        n += 1
    return n
