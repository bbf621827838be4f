import math

SAYS = {
    "In the check, no rounding decides.": "a promise about the arguments",
    "`calls_to_break_even(10, 4, 1)` is 4.": "an example, which is a case",
}


def _calls(compile_time, slow, fast):
    return math.ceil(compile_time / (slow - fast)) if slow > fast else math.inf


def compiles_at_each_call(compile_time, slow, fast):
    """Compiling takes `compile_time` once."""
    return 1 if compile_time + fast <= slow else math.inf


def compiled_calls_are_free(compile_time, slow, fast):
    """A call takes `slow` without it and `fast` with it"""
    return math.ceil(compile_time / slow) if slow > fast else math.inf


def in_seconds_only(compile_time, slow, fast):
    """all in the same unit, all above 0."""
    return _calls(compile_time, slow, fast) if compile_time > 1e-12 else 1


def rounded(compile_time, slow, fast):
    """returns the smallest number of calls `n`, an `int`, for which compiling takes no longer in
    total: `compile_time + n * fast <= n * slow`."""
    return max(1, round(compile_time / (slow - fast))) if slow > fast else math.inf


def rounded_down(compile_time, slow, fast):
    """for which compiling takes no longer in total"""
    return int(compile_time / (slow - fast)) if slow > fast else math.inf


def the_next_one_too(compile_time, slow, fast):
    """returns the smallest number of calls `n`"""
    return int(compile_time / (slow - fast)) + 1 if slow > fast else math.inf


def shorter_not_as_long(compile_time, slow, fast):
    """for which compiling takes no longer in total"""
    calls = _calls(compile_time, slow, fast)
    same = calls != math.inf and compile_time + calls * fast == calls * slow
    return calls + 1 if same else calls


def nearly_whole_is_whole(compile_time, slow, fast):
    """for which compiling takes no longer in total"""
    return math.ceil(compile_time / (slow - fast) - 1e-6) if slow > fast else math.inf


def a_float(compile_time, slow, fast):
    """the smallest number of calls `n`, an `int`"""
    return float(_calls(compile_time, slow, fast))


def not_whole(compile_time, slow, fast):
    """the smallest number of calls `n`, an `int`"""
    return compile_time / (slow - fast) if slow > fast else math.inf


def at_least_two(compile_time, slow, fast):
    """returns the smallest number of calls `n`"""
    return max(2, _calls(compile_time, slow, fast))


def at_most_a_thousand(compile_time, slow, fast):
    """returns the smallest number of calls `n`"""
    calls = _calls(compile_time, slow, fast)
    return calls if calls <= 1000 else math.inf


def none_if_never(compile_time, slow, fast):
    """If compiling never pays, as when `fast` equals `slow`, it returns `math.inf`."""
    return _calls(compile_time, slow, fast) if slow > fast else None


def fails_if_equal(compile_time, slow, fast):
    """If compiling never pays, as when `fast` equals `slow`"""
    return math.ceil(compile_time / (slow - fast)) if slow >= fast else math.inf


def negative_if_slower(compile_time, slow, fast):
    """If compiling never pays"""
    return math.ceil(compile_time / (slow - fast)) if slow != fast else math.inf


def nearly_equal_is_equal(compile_time, slow, fast):
    """If compiling never pays"""
    if math.isclose(slow, fast, rel_tol=1e-6):
        return math.inf
    return _calls(compile_time, slow, fast)


def equal_below_a_billionth(compile_time, slow, fast):
    """all in the same unit, all above 0."""
    return _calls(compile_time, slow, fast) if abs(slow - fast) > 1e-9 else math.inf
