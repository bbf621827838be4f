"""Do the contenders compute the same? Asked before anything is timed.

The fastest way to win a benchmark is to compute something else: a model with other weights, a layer
too few, a result that is never finished. So `compare` takes a ``check``, and this is the usual one.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterator, Mapping

from hpml.base.errors import describe
from hpml.benchmark.errors import BenchmarkError


def same_results(
    relative: float = 1e-5, absolute: float = 1e-6
) -> Callable[[Mapping[str, object]], None]:
    """Return a check that all contenders' results hold the same numbers in the same arrangement.

    Args:
        relative: difference allowed, as a fraction of the larger of two numbers.
        absolute: difference allowed near zero.

    Returns:
        A function of the results by contender, in order; it compares each with the first. Results
        are numbers, texts, arrays, tensors, and lists, tuples and dicts of such; lists, tuples and
        arrays of the same values are the same.

    Raises:
        BenchmarkError: from the check, naming the contender and the first place that differs; or
            if all results are None, so that there is nothing to compare.

    >>> check = same_results()
    >>> check({"a": [1.0, 2.0], "b": [1.0, 2.0000001]})
    >>> check({"a": [1.0, 2.0], "b": [1.0, 3.0]})
    Traceback (most recent call last):
    ...
    hpml.benchmark.errors.BenchmarkError: Contender 'b' computes something else than 'a': at [1] \
expected 2.0, got 3.0. Their times cannot be compared.
    """

    def check(results: Mapping[str, object]) -> None:
        (first, expected), *others = results.items()
        if all(result is None for result in results.values()):
            raise BenchmarkError(
                "same_results has nothing to compare: every contender returns None. Let each "
                "return what it computes, or leave out the check."
            )
        wanted = plain(expected)
        for name, result in others:
            for place, want, got in _differences(wanted, plain(result), relative, absolute):
                raise BenchmarkError(
                    f"Contender {name!r} computes something else than {first!r}: at "
                    f"{place or 'the result'} expected {want}, got {got}. Their times cannot be "
                    "compared."
                )

    return check


def plain(value: object) -> object:
    """Return `value` as plain data: an array or tensor as nested lists, also inside containers.

    >>> import array
    >>> plain({"x": (array.array("d", [1.0, 2.0]), 3)})
    {'x': [[1.0, 2.0], 3]}
    """
    to_list = getattr(value, "tolist", None)
    if callable(to_list):
        return to_list()
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _differences(
    want: object, got: object, relative: float, absolute: float, place: str = ""
) -> Iterator[tuple[str, str, str]]:
    """Yield each difference: where, what was expected, what came."""
    if isinstance(want, list) and isinstance(got, list):
        if len(want) != len(got):
            yield place, f"{len(want)} items", f"{len(got)}: {describe(got)}"
            return
        for index, (a, b) in enumerate(zip(want, got, strict=True)):
            yield from _differences(a, b, relative, absolute, f"{place}[{index}]")
    elif isinstance(want, dict) and isinstance(got, dict):
        if set(want) != set(got):
            yield (
                place,
                f"the keys {describe(sorted(map(str, want)))}",
                describe(sorted(map(str, got))),
            )
            return
        for key, item in want.items():
            yield from _differences(item, got[key], relative, absolute, f"{place}[{key!r}]")
    elif not _close(want, got, relative, absolute):
        yield place, describe(want), describe(got)


def _close(a: object, b: object, relative: float, absolute: float) -> bool:
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        both_missing = math.isnan(a) and math.isnan(b)
        return both_missing or math.isclose(a, b, rel_tol=relative, abs_tol=absolute)
    if isinstance(a, (int, float, complex)) and isinstance(b, (int, float, complex)):
        return cmath.isclose(a, b, rel_tol=relative, abs_tol=absolute)
    return type(a) is type(b) and bool(a == b)
