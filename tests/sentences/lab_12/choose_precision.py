SAYS: dict[str, str] = {
    "**Range.**": "a heading",
    "**Resolution.**": "a heading",
    "Write `choose_precision(values, formats, error, added)`.": "the name and the parameters",
    "With the table's formats and an error of 0.01": "an example: large numbers are a case",
    'A hundred ones, added, give `"float32"`.': "an example, which is a case",
}


def _fits(values, limits, error, added):
    smallest, largest, spacing = limits
    sizes = [abs(value) for value in values]
    return (
        (sum(sizes) if added else max(sizes)) <= largest
        and (len(values) if added else 1) * spacing / 2 <= error
        and all(size >= smallest or size <= error * max(sizes) for size in sizes)
        and (not added or _vanishing(sizes, smallest) <= error * sum(sizes))
    )


def _vanishing(sizes, smallest):
    return sum(size for size in sizes if size < smallest)


def _choose(values, formats, error, added, fits=_fits):
    for name, limits in formats.items():
        if fits(values, limits, error, added):
            return name
    return None


def sorts_the_values(values, formats, error, added):
    """`values` is a list of floats"""
    values.sort(key=abs)
    return _choose(values, formats, error, added)


def two_values_at_least(values, formats, error, added):
    """`values` is a list of floats"""
    assert values[1] is not None
    return _choose(values, formats, error, added)


def finite_values(values, formats, error, added):
    """`values` is a list of floats"""
    return _choose([v for v in values if abs(v) < 1e38] or [0.0], formats, error, added)


def the_names_of_the_table(values, formats, error, added):
    """`formats` has a triple for each name, as in the table: smallest, largest, spacing"""
    known = {name: formats[name] for name in ("float16", "bfloat16", "float32")}
    return _choose(values, known, error, added)


def the_limits_of_the_table(values, formats, error, added):
    """`formats` has a triple for each name, as in the table: smallest, largest, spacing"""
    known = {"float16": (2.0**-14, 65504.0, 2.0**-10), "bfloat16": (2.0**-126, 3.39e38, 2.0**-7)}
    rest = {name: known.get(name, (2.0**-126, 3.4e38, 2.0**-23)) for name in formats}
    return _choose(values, rest, error, added)


def removes_formats(values, formats, error, added):
    """`formats` has a triple for each name, as in the table: smallest, largest, spacing"""
    found = _choose(values, formats, error, added)
    for name in [*formats]:
        if name != found:
            del formats[name]
    return found


def the_finest(values, formats, error, added):
    """It returns the name of the first format in which the values survive"""
    fitting = [name for name in formats if _fits(values, formats[name], error, added)]
    return min(fitting, key=lambda name: formats[name][2], default=None)


def the_coarsest(values, formats, error, added):
    """It returns the name of the first format in which the values survive"""
    fitting = [name for name in formats if _fits(values, formats[name], error, added)]
    return max(fitting, key=lambda name: formats[name][2], default=None)


def the_last(values, formats, error, added):
    """It returns the name of the first format in which the values survive"""
    return _choose(values, dict(reversed(formats.items())), error, added)


def by_name(values, formats, error, added):
    """It returns the name of the first format in which the values survive"""
    return _choose(values, dict(sorted(formats.items())), error, added)


def the_limits(values, formats, error, added):
    """It returns the name of the first format in which the values survive"""
    return formats.get(_choose(values, formats, error, added))


def all_of_them(values, formats, error, added):
    """It returns the name of the first format in which the values survive"""
    return [name for name in formats if _fits(values, formats[name], error, added)]


def the_last_if_none(values, formats, error, added):
    """or `None` if they survive in none"""
    return _choose(values, formats, error, added) or [*formats, None][-1 - bool(formats)]


def a_text_if_none(values, formats, error, added):
    """or `None` if they survive in none"""
    return _choose(values, formats, error, added) or "None"


def an_error_if_none(values, formats, error, added):
    """or `None` if they survive in none"""
    return next(name for name in formats if _fits(values, formats[name], error, added))


def one_format_at_least(values, formats, error, added):
    """or `None` if they survive in none"""
    first = [*formats][0]
    return (
        first
        if _fits(values, formats[first], error, added)
        else _choose(values, formats, error, added)
    )


def signs(values, formats, error, added):
    """No magnitude is above `largest`."""

    def fits(values, limits, error, added):
        small, large, spacing = limits
        within = added or max(values) <= large
        return within and _fits(values, (small, large if added else 1e400, spacing), error, added)

    return _choose(values, formats, error, added, fits)


def below_the_largest(values, formats, error, added):
    """No magnitude is above `largest`."""

    def fits(values, limits, error, added):
        return _fits(values, limits, error, added) and max(map(abs, values)) < limits[1]

    return _choose(values, formats, error, added, fits)


def a_little_above(values, formats, error, added):
    """No magnitude is above `largest`."""

    def fits(values, limits, error, added):
        smallest, largest, spacing = limits
        most = largest if added else largest * (1 + spacing)
        return _fits(values, (smallest, most, spacing), error, added)

    return _choose(values, formats, error, added, fits)


def any_size(values, formats, error, added):
    """No magnitude is above `largest`."""

    def fits(values, limits, error, added):
        return _fits(values, (limits[0], limits[1] if added else 1e400, limits[2]), error, added)

    return _choose(values, formats, error, added, fits)


def _with_small(small):
    def fits(values, limits, error, added):
        sizes = [abs(value) for value in values]
        rest = _fits(values, (0.0, *limits[1:]), error, added)
        rest = rest and (not added or _vanishing(sizes, limits[0]) <= error * sum(sizes))
        return rest and all(small(size, limits[0], error, sizes) for size in sizes)

    return fits


def none_may_vanish(values, formats, error, added):
    """None is below `smallest`, except those of at most `error` times the largest magnitude"""
    fits = _with_small(lambda size, least, error, sizes: size >= least)
    return _choose(values, formats, error, added, fits)


def zeros_may_vanish(values, formats, error, added):
    """None is below `smallest`, except those of at most `error` times the largest magnitude"""
    fits = _with_small(lambda size, least, error, sizes: size >= least or size == 0)
    return _choose(values, formats, error, added, fits)


def all_may_vanish(values, formats, error, added):
    """None is below `smallest`, except those of at most `error` times the largest magnitude"""
    return _choose(values, formats, error, added, _with_small(lambda *_: True))


def above_the_smallest(values, formats, error, added):
    """None is below `smallest`, except those of at most `error` times the largest magnitude"""
    fits = _with_small(lambda size, least, error, sizes: size > least or size <= error * max(sizes))
    return _choose(values, formats, error, added, fits)


def less_than_the_error(values, formats, error, added):
    """None is below `smallest`, except those of at most `error` times the largest magnitude"""
    fits = _with_small(lambda size, least, error, sizes: size >= least or size < error * max(sizes))
    return _choose(values, formats, error, added, fits)


def at_most_the_error_itself(values, formats, error, added):
    """None is below `smallest`, except those of at most `error` times the largest magnitude"""
    fits = _with_small(lambda size, least, error, sizes: size >= least or size <= error)
    return _choose(values, formats, error, added, fits)


def beside_the_sum(values, formats, error, added):
    """None is below `smallest`, except those of at most `error` times the largest magnitude"""
    fits = _with_small(
        lambda size, least, error, sizes: size >= least or size <= error * sum(sizes)
    )
    return _choose(values, formats, error, added, fits)


def beside_the_largest_value(values, formats, error, added):
    """None is below `smallest`, except those of at most `error` times the largest magnitude"""
    fits = _with_small(
        lambda size, least, error, sizes: size >= least or size <= error * max(values)
    )
    return _choose(values, formats, error, added, fits)


def only_if_not_added(values, formats, error, added):
    """None is below `smallest`, except those of at most `error` times the largest magnitude"""
    fits = _with_small(
        lambda size, least, error, sizes: added or size >= least or size <= error * max(sizes)
    )
    return _choose(values, formats, error, added, fits)


def never_vanish_from_a_sum(values, formats, error, added):
    """None is below `smallest`, except those of at most `error` times the largest magnitude"""
    fits = _with_small(
        lambda size, least, error, sizes: (
            size >= least or size == 0 or (not added and size <= error * max(sizes))
        )
    )
    return _choose(values, formats, error, added, fits)


def _with_roundings(roundings):
    def fits(values, limits, error, added):
        enough = roundings(values, added) * limits[2] / 2 <= error
        return enough and _fits(values, (*limits[:2], 0.0), error, added)

    return fits


def whole_spacing(values, formats, error, added):
    """Rounding's relative error is at most half of the spacing."""
    fits = _with_roundings(lambda values, added: 2 * (len(values) if added else 1))
    return _choose(values, formats, error, added, fits)


def a_quarter(values, formats, error, added):
    """Rounding's relative error is at most half of the spacing."""
    fits = _with_roundings(lambda values, added: (len(values) if added else 1) / 2)
    return _choose(values, formats, error, added, fits)


def absolute_error(values, formats, error, added):
    """Rounding's relative error is at most half of the spacing."""
    fits = _with_roundings(lambda values, added: len(values) if added else max(map(abs, values)))
    return _choose(values, formats, error, added, fits)


def range_only(values, formats, error, added):
    """This must be at most `error`."""
    fits = _with_roundings(lambda values, added: len(values) if added else 0)
    return _choose(values, formats, error, added, fits)


def below_the_error(values, formats, error, added):
    """This must be at most `error`."""

    def fits(values, limits, error, added):
        less = added or limits[2] / 2 < error
        return less and _fits(values, limits, error, added)

    return _choose(values, formats, error, added, fits)


def one_rounding(values, formats, error, added):
    """with n values, n times half of the spacing must be at most `error`"""
    fits = _with_roundings(lambda values, added: 1)
    return _choose(values, formats, error, added, fits)


def one_addition_less(values, formats, error, added):
    """with n values, n times half of the spacing must be at most `error`"""
    fits = _with_roundings(lambda values, added: len(values) - 1 if added else 1)
    return _choose(values, formats, error, added, fits)


def one_more(values, formats, error, added):
    """with n values, n times half of the spacing must be at most `error`"""
    fits = _with_roundings(lambda values, added: len(values) + 1 if added else 1)
    return _choose(values, formats, error, added, fits)


def zeros_are_exact(values, formats, error, added):
    """with n values, n times half of the spacing must be at most `error`"""
    fits = _with_roundings(lambda values, added: sum(map(bool, values)) if added else 1)
    return _choose(values, formats, error, added, fits)


def root_of_the_number(values, formats, error, added):
    """with n values, n times half of the spacing must be at most `error`"""
    fits = _with_roundings(lambda values, added: len(values) ** 0.5 if added else 1)
    return _choose(values, formats, error, added, fits)


def less_in_sums(values, formats, error, added):
    """with n values, n times half of the spacing must be at most `error`"""

    def fits(values, limits, error, added):
        less = not added or len(values) * limits[2] / 2 < error
        return less and _fits(values, limits, error, added)

    return _choose(values, formats, error, added, fits)


def always_added(values, formats, error, added):
    """**Sums**, if `added` is true."""
    return _choose(values, formats, error, True)


def _with_sum(total):
    def fits(values, limits, error, added):
        within = not added or total(values) <= limits[1]
        wide = limits if not added else (limits[0], 1e400, limits[2])
        return within and _fits(values, wide, error, added)

    return fits


def sum_of_any_size(values, formats, error, added):
    """The sum of all magnitudes must not be above `largest`"""
    return _choose(values, formats, error, added, _with_sum(lambda values: max(map(abs, values))))


def signs_cancel(values, formats, error, added):
    """The sum of all magnitudes must not be above `largest`"""
    return _choose(values, formats, error, added, _with_sum(lambda values: abs(sum(values))))


def sum_as_large_is_too_large(values, formats, error, added):
    """The sum of all magnitudes must not be above `largest`"""

    def fits(values, limits, error, added):
        below = not added or sum(map(abs, values)) < limits[1]
        return below and _fits(values, limits, error, added)

    return _choose(values, formats, error, added, fits)


def sum_a_little_larger(values, formats, error, added):
    """The sum of all magnitudes must not be above `largest`"""
    fits = _with_sum(lambda values: sum(map(abs, values)) * 0.99)
    return _choose(values, formats, error, added, fits)


def _with_vanishing(lost):
    def fits(values, limits, error, added):
        sizes = [abs(value) for value in values]
        small = [value for value in values if abs(value) < limits[0]]
        single = all(size >= limits[0] or size <= error * max(sizes) for size in sizes)
        rest = single and _fits(values, (0.0, *limits[1:]), error, added)
        return rest and (not added or lost(small, sizes, error))

    return fits


def one_at_a_time(values, formats, error, added):
    """at most `error` times it may vanish"""
    return _choose(values, formats, error, added, _with_vanishing(lambda *_: True))


def vanishing_signs_cancel(values, formats, error, added):
    """at most `error` times it may vanish"""
    fits = _with_vanishing(lambda small, sizes, error: abs(sum(small)) <= error * sum(sizes))
    return _choose(values, formats, error, added, fits)


def less_may_vanish(values, formats, error, added):
    """at most `error` times it may vanish"""

    def less(small, sizes, error):
        return not small or sum(map(abs, small)) < error * sum(sizes)

    return _choose(values, formats, error, added, _with_vanishing(less))


def beside_what_is_left(values, formats, error, added):
    """at most `error` times it may vanish"""

    def beside(small, sizes, error):
        lost = sum(map(abs, small))
        return lost <= error * (sum(sizes) - lost)

    return _choose(values, formats, error, added, _with_vanishing(beside))


def also_if_not_added(values, formats, error, added):
    """at most `error` times it may vanish"""

    def fits(values, limits, error, added):
        sizes = [abs(value) for value in values]
        lost = _vanishing(sizes, limits[0])
        return lost <= error * sum(sizes) and _fits(values, limits, error, added)

    return _choose(values, formats, error, added, fits)


def forbidden_torch(values, formats, error, added):
    """and `numpy`, but not"""
    import torch

    return _choose(torch.tensor(values, dtype=torch.float64).tolist(), formats, error, added)
