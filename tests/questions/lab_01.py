from __future__ import annotations

import sys
import warnings
import weakref
from fractions import Fraction

import pytest

from hpml.bytecode import count_instructions, object_header
from tests.questions.answers import ratio_of_times


def question_1() -> object:
    numbers = [float(n) for n in range(1000)]
    exactly = [*numbers]  # a copy of known length has no spare places
    floats = {id(number): sys.getsizeof(number) for number in numbers}
    assert len(floats) == 1000
    return sys.getsizeof(exactly) + sum(floats.values())


def question_2() -> None:
    class Plain:
        pass

    one = Plain()
    header = object_header(one)
    assert [field.name for field in header.fields][:2] == ["ob_refcnt", "ob_type"]
    assert header.agrees
    freed = weakref.ref(one)
    other = one
    del one
    assert freed() is other
    del other
    assert freed() is None
    before = sys.getrefcount(None)
    more = [None] * 1000
    assert (sys.getrefcount(None) >= before + len(more)) == (sys.version_info < (3, 12))


def question_3() -> object:
    def add(a: int, b: int) -> int:
        return a + b

    pairs = [(150, 151), (2**28, 2**29)]
    kept = [(add(*pair), add(*pair)) for pair in pairs]
    assert all(first is not second for first, second in kept), "each sum is a new object"
    same = len({count_instructions(add, *pair) for pair in pairs}) == 1 and {
        sys.getsizeof(first) for first, _ in kept
    } == {28}
    small, other = add(100, 101), add(100, 101)
    assert small is other, "the sums up to 256 exist already"
    assert sys.getsizeof(add(2**29, 2**29)) > 28, "a second digit"
    cost = "none noticeably: lookup, type check and the new object cost the same"
    return cost if same else "the addition itself"


@pytest.mark.thorough
def question_4_timed() -> None:
    import numpy as np

    x, y = 1.5, 2.5
    low, _ = ratio_of_times(lambda: np.add(x, y), lambda: x + y)
    assert low > 1
    many, numbers = np.arange(10_000.0), [float(n) for n in range(10_000)]
    low, _ = ratio_of_times(lambda: [n + n for n in numbers], lambda: np.add(many, many))
    assert low > 1


def question_5() -> None:
    def forced(coefficients: list, x: object) -> object:
        result = float(coefficients[0])
        for c in coefficients[1:]:
            result = result * x + c
        return result

    def fixed(coefficients: list, x: object) -> object:
        result = coefficients[0]
        for c in coefficients[1:]:
            result = result * x + c
        return result

    third = Fraction(1, 3)
    assert isinstance(forced([third, 0], third), float)
    assert fixed([third, 0], third) == Fraction(1, 9)
    with pytest.raises(TypeError):
        forced([1j, 0], 2)
    assert fixed([1j, 0], 2) == 2j
    torch = pytest.importorskip("torch")
    for function, flows in ((forced, False), (fixed, True)):
        weight = torch.tensor(2.0, requires_grad=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch warns that the gradient is lost
            result = function([weight, torch.tensor(1.0)], torch.tensor(3.0))
        assert result.item() == 7
        assert result.requires_grad == flows


def question_6() -> object:
    return next(n for n in range(1, 100) if 1000 + n < 50 * n)
