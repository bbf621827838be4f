import math

SAYS: dict[str, str] = {
    "Write `speed_up(shares, factors)`.": "the name and the parameters, as in the stub",
    'For example, `speed_up({"f": 0.5}': "an example, which is the first case",
}

EQUIVALENT: dict[str, str] = {
    "8: left > 1e-09 → left >= 1e-09": "a share of exactly 1e-9 cannot be told from its neighbours: 1 - share is rounded",
    "8: 1e-09 → 2.001e-09": "the rounding of 1 - share changes such a speed-up by more than a right formula may",
}


def _left(shares, factors, rest=True):
    left = 1 - sum(shares.values()) if rest else 0.0
    for name, share in shares.items():
        left += share / factors.get(name, 1)
    return left


def _times(left):
    return 1 / left if left > 1e-9 else math.inf


def share_of_the_old_time(shares, factors):
    """It returns how many times as fast the whole becomes."""
    return _left(shares, factors)


def time_saved(shares, factors):
    """It returns how many times as fast the whole becomes."""
    return 1 - _left(shares, factors)


def percent_faster(shares, factors):
    """It returns how many times as fast the whole becomes."""
    return 100 * (_times(_left(shares, factors)) - 1)


def two_digits(shares, factors):
    """It returns how many times as fast the whole becomes."""
    return round(_times(_left(shares, factors)), 2)


def six_digits(shares, factors):
    """It returns how many times as fast the whole becomes."""
    return round(_times(_left(shares, factors)), 6)


def never_slower(shares, factors):
    """It returns how many times as fast the whole becomes."""
    return max(1.0, _times(_left(shares, factors)))


def product_of_the_factors(shares, factors):
    """It returns how many times as fast the whole becomes."""
    return float(math.prod(factors.values()))


def product_of_the_gains(shares, factors):
    """It returns how many times as fast the whole becomes."""
    gains = [_left({n: shares[n]}, factors) for n in shares]
    return _times(math.prod(gains))


def mean_of_the_factors(shares, factors):
    """It returns how many times as fast the whole becomes."""
    return _left(shares, {}) + sum(shares[n] * (factors[n] - 1) for n in factors)


def of_the_parts_alone(shares, factors):
    """`shares` are the parts' shares of the old time; they may sum to less than 1."""
    total = sum(shares.values())
    left = _left(shares, factors, rest=False)
    return _times(left / total) if total else 1.0


def rest_is_forgotten(shares, factors):
    """`shares` are the parts' shares of the old time; they may sum to less than 1."""
    return _times(_left(shares, factors, rest=False))


def rest_is_a_tenth(shares, factors):
    """`shares` are the parts' shares of the old time; they may sum to less than 1."""
    return _times(_left(shares, factors, rest=False) + min(0.1, 1 - sum(shares.values())))


def shares_above_0(shares, factors):
    """`shares` are the parts' shares of the old time; they may sum to less than 1."""
    assert all(1 / share for share in shares.values())
    return _times(_left(shares, factors))


def writes_into_the_shares(shares, factors):
    """`shares` are the parts' shares of the old time; they may sum to less than 1."""
    rest = 1 - sum(shares.values())
    for name, factor in factors.items():
        shares[name] /= factor
    return _times(rest + sum(shares.values()))


def adds_factors(shares, factors):
    """the others stay as they are"""
    for name in shares:
        factors.setdefault(name, 1.0)
    return _times(_left(shares, factors))


def every_part_has_a_factor(shares, factors):
    """`factors` say for some parts how many times as fast they become"""
    return _times(1 - sum(shares.values()) + sum(shares[n] / factors[n] for n in shares))


def others_are_forgotten(shares, factors):
    """the others stay as they are"""
    left = 1 - sum(shares.values())
    return _times(left + sum(shares[name] / factor for name, factor in factors.items()))


def others_as_the_last(shares, factors):
    """the others stay as they are"""
    last = [1.0, *factors.values()][-1]
    return _times(_left(shares, {name: factors.get(name, last) for name in shares}))


def in_the_order_of_the_parts(shares, factors):
    """`factors` say for some parts how many times as fast they become"""
    return _times(_left(shares, dict(zip(shares, factors.values(), strict=False))))


def times_longer(shares, factors):
    """`factors` say for some parts how many times as fast they become"""
    left = 1 - sum(shares.values())
    return _times(left + sum(share * factors.get(name, 1) for name, share in shares.items()))


def faster_by(shares, factors):
    """`factors` say for some parts how many times as fast they become"""
    return _times(_left(shares, {name: 1 + factor for name, factor in factors.items()}))


def never_a_slower_part(shares, factors):
    """`factors` say for some parts how many times as fast they become"""
    return _times(_left(shares, {name: max(1.0, factor) for name, factor in factors.items()}))


def a_thousand_times_at_most(shares, factors):
    """`factors` say for some parts how many times as fast they become"""
    limited = {
        n: factor if factor == math.inf else min(factor, 1e3) for n, factor in factors.items()
    }
    limited = {n: max(factor, 1e-3) for n, factor in limited.items()}
    return _times(_left(shares, limited))


def one_letter_names(shares, factors):
    """`factors` say for some parts how many times as fast they become"""
    return _times(_left(shares, {name[0]: factor for name, factor in factors.items()}))


def free_is_a_million_times(shares, factors):
    """A factor may be `math.inf`: that part takes no time any more."""
    return _times(_left(shares, {name: min(factor, 1e6) for name, factor in factors.items()}))


def free_is_unchanged(shares, factors):
    """A factor may be `math.inf`: that part takes no time any more."""
    return _times(_left(shares, {n: 1 if f == math.inf else f for n, f in factors.items()}))


def free_parts_leave_the_whole(shares, factors):
    """A factor may be `math.inf`: that part takes no time any more."""
    kept = {name: share for name, share in shares.items() if factors.get(name) != math.inf}
    return _times(_left(kept, factors))


def a_free_part_makes_all_free(shares, factors):
    """A factor may be `math.inf`: that part takes no time any more."""
    return math.inf if math.inf in factors.values() else _times(_left(shares, factors))


def large_factors_are_free(shares, factors):
    """A factor may be `math.inf`: that part takes no time any more."""
    return _times(_left(shares, {n: math.inf if f > 2 else f for n, f in factors.items()}))


def division_by_0(shares, factors):
    """Return `math.inf` if no time is left"""
    return 1 / _left(shares, factors)


def a_large_number(shares, factors):
    """Return `math.inf` if no time is left"""
    return 1 / max(_left(shares, factors), 1e-12)


def a_hundredth_is_nothing(shares, factors):
    """Return `math.inf` if no time is left"""
    left = _left(shares, factors)
    return 1 / left if left >= 0.01 else math.inf


def a_thousandth_is_nothing(shares, factors):
    """Return `math.inf` if no time is left"""
    left = _left(shares, factors)
    return 1 / left if left >= 0.001 else math.inf


def a_hundred_thousandth_is_nothing(shares, factors):
    """Return `math.inf` if no time is left"""
    left = _left(shares, factors)
    return 1 / left if left > 1e-5 else math.inf


def if_all_parts_are_free(shares, factors):
    """Return `math.inf` if no time is left"""
    if shares and all(factors.get(name) == math.inf for name in shares):
        return math.inf
    return _times(_left(shares, factors))


def none_if_no_time_is_left(shares, factors):
    """Return `math.inf` if no time is left"""
    found = _times(_left(shares, factors))
    return None if found == math.inf else found


def exactly_0(shares, factors):
    """less than 1e-9, which rounding leaves"""
    left = _left(shares, factors)
    return 1 / left if left else math.inf


def the_last_digit(shares, factors):
    """less than 1e-9, which rounding leaves"""
    left = _left(shares, factors)
    return 1 / left if left > 1e-16 else math.inf
