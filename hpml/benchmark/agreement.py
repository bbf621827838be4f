"""Do the contenders compute the same? Asked before anything is timed."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterable, Mapping, MappingView, Sequence
from typing import Any

from hpml.base.errors import describe
from hpml.benchmark.errors import BenchmarkError

NUMBERS = (bool, int, float, complex)


def same_results(
    relative: float = 1e-5, absolute: float = 1e-6
) -> Callable[[Mapping[str, object]], None]:
    """Return a check that all contenders' results hold the same numbers in the same arrangement.

    Args:
        relative: difference allowed, as a fraction of the larger of two numbers; whole numbers
            have to be equal.
        absolute: difference allowed near zero.

    Returns:
        A function of the results by contender, in order; it compares each with the first. Results
        are numbers, texts, arrays, dense tensors, and lists, tuples and dicts of such. Lists,
        tuples and arrays of the same values are the same.

    Raises:
        BenchmarkError: from the check, naming the contender and the first place that differs; or
            if all results are None, so that there is nothing to compare.

    >>> check = same_results()
    >>> check({"a": [1.0, 2.0], "b": [1.0, 2.0000001]})
    >>> check({"a": [1.0, 2.0], "b": [1.0, 3.0]})
    Traceback (most recent call last):
    ...
    hpml.benchmark.errors.BenchmarkError: Contender 'b' computes a different result than 'a': at \
[1] expected 2.0, got 3.0. Their times cannot be compared.
    """

    def close(want: Any, got: Any) -> bool:
        numbers = isinstance(want, NUMBERS) and isinstance(got, NUMBERS)
        if not numbers or (isinstance(want, int) and isinstance(got, int)):
            return bool(want == got)
        try:
            same = cmath.isclose(want, got, rel_tol=relative, abs_tol=absolute)
        except OverflowError:  # a whole number beyond all floats
            return False
        return same or (cmath.isnan(want) and cmath.isnan(got))

    def check(results: Mapping[str, object]) -> None:
        (first, expected), *others = results.items()
        if all(result is None for result in results.values()):
            raise BenchmarkError(
                "same_results has nothing to compare: every contender returns None. Let each "
                "return what it computes, or leave out the check."
            )
        for name, result in others:
            if difference := _difference(expected, result, close):
                raise BenchmarkError(
                    f"Contender {name!r} computes a different result than {first!r}: {difference}. "
                    "Their times cannot be compared."
                )

    return check


def _difference(want: Any, got: Any, close: Callable[[Any, Any], bool], place: str = "") -> str:
    """Return where two results differ first, and how; nothing if they do not."""
    want, got = _plain(want), _plain(got)
    pairs: Iterable[tuple[object, object, object]]
    if isinstance(want, Mapping) and isinstance(got, Mapping) and want.keys() == got.keys():
        pairs = ((key, item, got[key]) for key, item in want.items())
    elif isinstance(want, list) and isinstance(got, list):
        if len(want) != len(got):
            return f"at {place or 'the result'} expected {len(want)} items, got {len(got)}"
        # Millions of numbers, one place after the other, would take longer than to compute them.
        if {*map(type, want), *map(type, got)} <= {*NUMBERS} and all(map(close, want, got)):
            return ""
        pairs = zip(range(len(want)), want, got, strict=True)
    elif close(want, got):
        return ""
    else:
        return f"at {place or 'the result'} expected {describe(want)}, got {describe(got)}"
    found = (_difference(a, b, close, f"{place}[{key!r}]") for key, a, b in pairs)
    return next(filter(None, found), "")


def _plain(value: Any) -> Any:
    """Return an array, a tensor or another sequence as a list, anything else as it is."""
    if callable(to_list := getattr(value, "tolist", None)):
        return to_list()
    listed = isinstance(value, (Sequence, MappingView)) and not isinstance(value, (str, bytes))
    return list(value) if listed else value
