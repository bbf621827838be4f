from __future__ import annotations

import time
import warnings

import numba
import numpy as np
import pytest

from tests.questions.answers import ratio_of_times

SOURCES = {
    4: "Numba, numba/_dispatcher.cpp (typeof_typecode of each argument) and "
    "numba/core/runtime/_nrt_python.c, NRT_adapt_ndarray_from_python, which takes a reference"
}


def question_1() -> None:
    @numba.njit
    def total(a):  # type: ignore[no-untyped-def]
        result = 0.0
        for x in a:
            result = result + x
        return result

    @numba.njit
    def from_zero(a):  # type: ignore[no-untyped-def]
        result = 0
        for x in a:
            result = result + x
        return result

    @numba.njit
    def typed(a):  # type: ignore[no-untyped-def]
        result = a.dtype.type(0)
        for x in a:
            result = result + x
        return result

    results = {}
    integers = ("bool", "uint8", "int32", "int64")
    for name in ("float32", "float64", *integers):
        for function in (total, from_zero, typed):
            function(np.ones(3, name))
            signature = function.overloads[function.signatures[-1]].signature
            results[name, function] = str(signature.return_type)
    assert {results[name, total] for name in integers} == {"float64"}
    assert {results[name, from_zero] for name in integers} == {"int64"}
    assert results["float64", from_zero] == results["float32", from_zero] == "float64"
    assert results["float32", typed] == "float32", "a zero of the array's type is worse"
    large = np.array([2**53, 1])
    assert (total(large), from_zero(large)) == (2**53, 2**53 + 1)

    @numba.njit
    def two_types(n):  # type: ignore[no-untyped-def]
        x = 1
        y = x + n
        x = "text"
        return len(x) + y

    assert two_types(1) == 6, "outside of a loop a name may change its type"


def question_2() -> object:
    return next(n for n in range(1, 1000) if round(0.9 + n * 0.001, 9) <= round(n * 0.004, 9))


@pytest.mark.thorough
def question_3_timed() -> None:
    def total(numbers):  # type: ignore[no-untyped-def]
        result = 0.0
        for x in numbers:
            result += x
        return result

    compiled, numbers = numba.njit(total), [float(n) for n in range(100_000)]
    array = np.array(numbers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert compiled(numbers) == compiled(array) == total(numbers)
        low, _ = ratio_of_times(lambda: compiled(numbers), lambda: total(numbers), rounds=25)
        assert low > 5, "for a list it takes many times as long"
        low, _ = ratio_of_times(lambda: compiled(numbers), lambda: compiled(array), rounds=25)
    assert low > 5, "with an array it is"


@pytest.mark.thorough
def question_4_timed() -> None:
    @numba.njit
    def one(a):  # type: ignore[no-untyped-def]
        return a[0]

    @numba.njit
    def three(a, b, c):  # type: ignore[no-untyped-def]
        return a[0]

    a, b, c = np.ones((3, 5))
    low, _ = ratio_of_times(lambda: three(a, b, c), lambda: one(a))
    assert low > 1.2
    large, short = np.ones(10**6), a
    low, high = ratio_of_times(lambda: one(large), lambda: one(short))
    assert low < 1.2
    assert high > 0.8


def question_5() -> None:
    first = 10 * 60 - 9 * 0.1
    assert first > 0.99 * 10 * 60

    @numba.njit
    def double(x):  # type: ignore[no-untyped-def]
        return 2 * x

    seconds = []
    for _ in range(2):
        begin = time.perf_counter()
        double(1.0)
        seconds.append(time.perf_counter() - begin)
    assert seconds[0] > 10 * seconds[1]
