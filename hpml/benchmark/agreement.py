"""Do the contenders compute the same? Asked before anything is timed.

The fastest way to win a benchmark is to compute something else: a model with other weights, a layer
too few, a result that is never finished. So `compare` takes a ``check``, and this is the usual one.
"""

from __future__ import annotations

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
        are numbers, arrays, tensors, or lists of such.

    Raises:
        BenchmarkError: from the check, naming the contender and the first number that differs.

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
        wanted = list(_numbers(plain(expected)))
        for name, result in others:
            found = list(_numbers(plain(result)))
            for (place, want), (at, got) in zip(wanted, found, strict=False):
                if place != at or not _close(want, got, relative, absolute):
                    raise BenchmarkError(
                        f"Contender {name!r} computes something else than {first!r}: at {place} "
                        f"expected {describe(want)}, got {describe(got)}"
                        f"{'' if place == at else f' at {at}'}. Their times cannot be compared."
                    )
            if len(found) != len(wanted):
                raise BenchmarkError(
                    f"Contender {name!r} computes something else than {first!r}: expected "
                    f"{len(wanted)} numbers, got {len(found)}. Their times cannot be compared."
                )

    return check


def plain(value: object) -> object:
    """Return `value` as plain data: an array or tensor as nested lists, the rest unchanged.

    >>> import array
    >>> plain(array.array("d", [1.0, 2.0]))
    [1.0, 2.0]
    """
    to_list = getattr(value, "tolist", None)
    if callable(to_list):
        return to_list()
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _numbers(value: object, place: str = "") -> Iterator[tuple[str, object]]:
    """Yield each number with its place, such as "[0][2]"."""
    if not isinstance(value, list):
        yield place or "the result", value
        return
    for index, item in enumerate(value):
        yield from _numbers(item, f"{place}[{index}]")


def _close(a: object, b: object, relative: float, absolute: float) -> bool:
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        both_missing = math.isnan(a) and math.isnan(b)
        return both_missing or math.isclose(a, b, rel_tol=relative, abs_tol=absolute)
    return bool(a == b)
