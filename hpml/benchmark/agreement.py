"""Check that all contenders compute the same result before any is timed."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterator, Mapping, MappingView, Sequence
from functools import partial
from math import isclose

from hpml.base.errors import describe
from hpml.benchmark.errors import BenchmarkError

_Close = Callable[[complex, complex], bool]


def same_results(
    relative: float = 1e-5, absolute: float = 1e-6
) -> Callable[[Mapping[str, object]], None]:
    """Return a function that checks whether all contenders' results are equal.

    Results are numbers, strings, arrays, dense tensors, and lists, tuples and dicts of them. Lists,
    tuples and arrays of the same values are equal. Integers must be equal exactly; `relative`
    (a fraction of the larger number) and `absolute` (near zero) are tolerances for other numbers.
    The check raises a `BenchmarkError` for the first difference, or if it can compare nothing.

    >>> check = same_results()
    >>> check({"a": [1.0, 2.0], "b": [1.0, 2.0000001]})
    >>> check({"a": [1.0, 2.0], "b": [1.0, 3.0]})
    Traceback (most recent call last):
    ...
    hpml.benchmark.errors.BenchmarkError: result of contender 'b' at [1]: expected 2.0, as \
contender 'a' returns, received 3.0. Correct one of the two: times of different results cannot be \
compared.
    """
    close: _Close = partial(cmath.isclose, rel_tol=relative, abs_tol=absolute)
    close_floats = partial(isclose, rel_tol=relative, abs_tol=absolute)

    def check(results: Mapping[str, object]) -> None:
        (first, expected), *others = results.items()
        if all(result is None for result in results.values()):
            raise BenchmarkError(
                "same_results has nothing to compare: every contender returns None.",
                object="results of the contenders",
                expected="values to compare",
                received="None from each",
                remedy="Let each return what it computes, or leave out the check.",
            )
        expected_plain = plain(expected)
        for name, result in others:
            for path, want, got in _differences(expected_plain, plain(result), close, close_floats):
                raise BenchmarkError(
                    object=f"result of contender {name!r}{path and f' at {path}'}",
                    expected=f"{want}, as contender {first!r} returns",
                    received=got,
                    remedy="Correct one of the two: times of different results cannot be compared.",
                )

    return check


def plain(value: object) -> object:
    """Return `value` with every array and tensor in it as nested lists."""
    if type(value) is float or (isinstance(value, list) and set(map(type, value)) == {float}):
        return value  # fast path: there may be millions
    if callable(to_list := getattr(value, "tolist", None)):
        return to_list()
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    listed = isinstance(value, (Sequence, MappingView)) and not isinstance(value, (str, bytes))
    return [plain(item) for item in value] if listed else value  # type: ignore[attr-defined]


def _differences(
    want: object, got: object, close: _Close, close_floats: Callable[..., bool], path: str = ""
) -> Iterator[tuple[str, str, str]]:
    """Yield the place, the expected and the received value of each difference."""
    if isinstance(want, list) and isinstance(got, list):
        if len(want) != len(got):
            yield path, f"{len(want)} items", f"{len(got)}: {describe(got)}"
            return
        # Fast path: comparing millions of numbers in Python would take longer than computing them.
        floats = set(map(type, want)) | set(map(type, got)) == {float}
        if floats and all(map(close_floats, want, got)):
            return
        for index, (a, b) in enumerate(zip(want, got, strict=True)):
            yield from _differences(a, b, close, close_floats, f"{path}[{index}]")
    elif isinstance(want, dict) and isinstance(got, dict):
        if set(want) != set(got):
            yield path, f"the keys {describe(list(want))}", describe(list(got))
            return
        for key, item in want.items():
            yield from _differences(item, got[key], close, close_floats, f"{path}[{key!r}]")
    elif not _same(want, got, close):
        yield path, describe(want), describe(got)


def _same(a: object, b: object, close: _Close) -> bool:
    if isinstance(a, (int, float, complex)) and isinstance(b, (int, float, complex)):
        if isinstance(a, int) and isinstance(b, int):
            return a == b
        try:
            return close(a, b) or (cmath.isnan(a) and cmath.isnan(b))
        except OverflowError:  # an integer too large for a float
            return a == b
    if type(a) is not type(b):
        return False
    if type(a).__eq__ is object.__eq__:
        raise BenchmarkError(
            object="results of the contenders",
            expected="values that can be compared for equality",
            received=f"an object of {type(a).__name__}, which defines no ==",
            remedy="Let the contenders return numbers, or pass your own check.",
        )
    return bool(a == b)
