import math

SAYS: dict[str, str] = {
    "Write `quantise(x, bits)`.": "the name and the parameters, as in the stub",
    "In the check, no number is halfway": "a promise: which of two nearest integers is not asked",
    "For `[0.3, -1.0, 0.26]` and 8 bits the integers": "an example, which is a case",
}


def _largest(bits):
    return 2 ** (bits - 1) - 1


def _quantised(x, bits, rounding=round, farthest=lambda x: max(map(abs, x)), largest=_largest):
    scale = farthest(x) / largest(bits) if any(x) else 1.0
    return [rounding(value / scale) for value in x], scale


def in_place(x, bits):
    """`x` is a list of floats."""
    found, scale = _quantised(x, bits)
    x[:] = [float(value) for value in found]
    return found, scale


def two_numbers_at_least(x, bits):
    """`x` is a list of floats."""
    assert x[1] is not None
    return _quantised(x, bits)


def moderate_numbers(x, bits):
    """`x` is a list of floats."""
    return _quantised([min(max(value, -1e38), 1e38) for value in x], bits)


def positive_numbers(x, bits):
    """`x` is a list of floats."""
    return _quantised([abs(value) for value in x], bits)


def scale_first(x, bits):
    """Return a pair: the list of the nearest integers, and the scale."""
    found, scale = _quantised(x, bits)
    return scale, found


def integers_only(x, bits):
    """Return a pair: the list of the nearest integers, and the scale."""
    return _quantised(x, bits)[0]


def restored(x, bits):
    """Return a pair: the list of the nearest integers, and the scale."""
    found, scale = _quantised(x, bits)
    return [scale * value for value in found], scale


def inverse_scale(x, bits):
    """Return a pair: the list of the nearest integers, and the scale."""
    found, scale = _quantised(x, bits)
    return found, 1 / scale


def floats(x, bits):
    """Return a pair: the list of the nearest integers, and the scale."""
    found, scale = _quantised(x, bits)
    return [float(value) for value in found], scale


def rounded_scale(x, bits):
    """Return a pair: the list of the nearest integers, and the scale."""
    found, scale = _quantised(x, bits)
    return found, round(scale, 5)


def towards_0(x, bits):
    """the list of the nearest integers"""
    return _quantised(x, bits, int)


def down(x, bits):
    """the list of the nearest integers"""
    return _quantised(x, bits, math.floor)


def up(x, bits):
    """the list of the nearest integers"""
    return _quantised(x, bits, math.ceil)


def a_half_more_towards_0(x, bits):
    """the list of the nearest integers"""
    return _quantised(x, bits, lambda value: int(value + 0.5))


def one_digit_first(x, bits):
    """the list of the nearest integers"""
    return _quantised(x, bits, lambda value: round(value + 0.02))


def without_repetition(x, bits):
    """the list of the nearest integers"""
    found, scale = _quantised(x, bits)
    return [*dict.fromkeys(found)], scale


def eight_bits(x, bits):
    """The largest integer of `bits` bits is 2^(bits−1) − 1"""
    return _quantised(x, 8)


def sixteen_bits_at_most(x, bits):
    """The largest integer of `bits` bits is 2^(bits−1) − 1"""
    return _quantised(x, min(bits, 16))


def one_too_many(x, bits):
    """The largest integer of `bits` bits is 2^(bits−1) − 1"""
    return _quantised(x, bits, largest=lambda bits: 2 ** (bits - 1))


def without_a_sign(x, bits):
    """The largest integer of `bits` bits is 2^(bits−1) − 1"""
    return _quantised(x, bits, largest=lambda bits: 2**bits - 1)


def two_fewer(x, bits):
    """The largest integer of `bits` bits is 2^(bits−1) − 1"""
    return _quantised(x, bits, largest=lambda bits: max(1, 2 ** (bits - 1) - 2))


def three_bits_at_least(x, bits):
    """The largest integer of `bits` bits is 2^(bits−1) − 1"""
    return _quantised(x, max(bits, 3))


def the_largest(x, bits):
    """The scale maps the number farthest from 0 to that integer, or to its negative."""
    return _quantised(x, bits, farthest=lambda x: max(x) if max(x) > 0 else -min(x))


def the_range(x, bits):
    """The scale maps the number farthest from 0 to that integer, or to its negative."""
    return _quantised(x, bits, farthest=lambda x: (max(x) - min(x)) / 2 or abs(x[0]))


def the_first(x, bits):
    """The scale maps the number farthest from 0 to that integer, or to its negative."""
    return _quantised(x, bits, farthest=lambda x: abs(x[0]) or max(map(abs, x)))


def the_smallest_to_minus_128(x, bits):
    """The scale maps the number farthest from 0 to that integer, or to its negative."""
    found, scale = _quantised(x, bits)
    if any(x) and -min(x) > max(x):
        scale = -min(x) / 2 ** (bits - 1)
        return [round(value / scale) for value in x], scale
    return found, scale


def negative_scale(x, bits):
    """The scale maps the number farthest from 0 to that integer, or to its negative."""
    scale = max(x, key=abs) / _largest(bits) or 1.0
    return [round(value / scale) for value in x], scale


def a_power_of_two(x, bits):
    """The scale maps the number farthest from 0 to that integer, or to its negative."""
    scale = max(map(abs, x)) / _largest(bits) if any(x) else 1.0
    scale = 2.0 ** math.ceil(math.log2(scale))
    return [round(value / scale) for value in x], scale


def clipped_outliers(x, bits):
    """The scale maps the number farthest from 0 to that integer, or to its negative."""
    sizes = sorted(map(abs, x))
    scale = (sizes[-2] if len(sizes) > 1 and sizes[-2] else sizes[-1]) / _largest(bits) or 1.0
    most = _largest(bits)
    return [max(-most, min(most, round(value / scale))) for value in x], scale


def tiny_numbers_are_0(x, bits):
    """If all numbers are 0, the scale is 1.0."""
    if max(map(abs, x)) < 1e-12:
        return [0] * len(x), 1.0
    return _quantised(x, bits)


def far_smaller_numbers_are_0(x, bits):
    """If all numbers are 0, the scale is 1.0."""
    if max(map(abs, x)) ** 2 == 0:
        return [0] * len(x), 1.0
    return _quantised(x, bits)


def one_number_is_0(x, bits):
    """If all numbers are 0, the scale is 1.0."""
    return ([0] * len(x), 1.0) if 0 in x else _quantised(x, bits)


def the_first_is_0(x, bits):
    """If all numbers are 0, the scale is 1.0."""
    return _quantised(x, bits) if x[0] else ([0] * len(x), 1.0)


def scale_0(x, bits):
    """If all numbers are 0, the scale is 1.0."""
    return _quantised(x, bits) if any(x) else ([0] * len(x), 0.0)


def scale_of_one_number(x, bits):
    """If all numbers are 0, the scale is 1.0."""
    return _quantised(x, bits) if any(x) else ([0] * len(x), 1 / _largest(bits))


def division_by_0(x, bits):
    """If all numbers are 0, the scale is 1.0."""
    scale = max(map(abs, x)) / _largest(bits)
    return [round(value / scale) for value in x], scale


def nothing_for_zeros(x, bits):
    """If all numbers are 0, the scale is 1.0."""
    return _quantised(x, bits) if any(x) else ([], 1.0)


def forbidden_torch(x, bits):
    """and `numpy`, but not"""
    import torch

    return _quantised(x, bits, lambda value: int(torch.tensor(value).round()))
