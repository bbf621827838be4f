"""Wrong answers to `choose_precision`: each docstring is the diagnosis."""


def _choose(
    values,
    formats,
    error,
    added,
    *,
    roundings=None,
    half=0.5,
    signed=False,
    tiny=True,
    together=True,
):
    sizes = [abs(value) for value in values]
    reach = sum(sizes) if added else max(values if signed else sizes)
    for name, (smallest, largest, spacing) in formats.items():
        count = (len(values) if added else 1) if roundings is None else roundings
        if count * half * spacing > error or reach > largest:
            continue
        lost = sum(size for size in sizes if size < smallest)
        if together and added and lost > error * sum(sizes):
            continue
        if all(size >= smallest or (tiny and size <= error * max(sizes)) for size in sizes):
            return name
    return None


def nothing_may_vanish(values, formats, error, added):
    """It refuses a format in which a small value becomes zero. A value of at most `error` times the
    largest may become zero: beside the largest it makes no difference."""
    return _choose(values, formats, error, added, tiny=False)


def one_at_a_time(values, formats, error, added):
    """It looks at each small value alone. Many small values that vanish may be a large part of a
    sum: together they may be at most `error` times the sum of all magnitudes."""
    return _choose(values, formats, error, added, together=False)


def one_rounding(values, formats, error, added):
    """When numbers are added, each addition rounds again. With a hundred values, the error may
    be a hundred times half of the spacing."""
    return _choose(values, formats, error, added, roundings=1)


def range_only(values, formats, error, added):
    """It checks the range only. bfloat16 reaches as far as float32, but after 1 its next number is
    1.0078. Half of that spacing is the rounding error, which must be at most `error`."""
    return _choose(values, formats, error, added, roundings=0)


def signs(values, formats, error, added):
    """It looks at the largest value, so it overlooks large negative values. A format must reach the
    largest magnitude."""
    return _choose(values, formats, error, added, signed=True)


def whole_spacing(values, formats, error, added):
    """A number lies between two neighbours, and rounding takes the nearer one. So it moves by at most
    half of the spacing."""
    return _choose(values, formats, error, added, half=1)
