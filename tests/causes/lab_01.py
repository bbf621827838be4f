from __future__ import annotations

import array
import dis
import re

import pytest

from tests.causes.shown import DESIGN, RANGES, Shown
from tests.questions import lab_01
from tests.questions.answers import ratio_of_times


def one_instruction_serves_all_types() -> None:
    """One function, for operands of three types: its code cannot know them."""

    def add(a: object, b: object) -> object:
        return a + b  # type: ignore[operator]

    code = add.__code__.co_code
    assert (add(1, 2), add("a", "b"), add([1], [2])) == (3, "ab", [1, 2])
    assert add.__code__.co_code == code
    assert [each.opname for each in dis.get_instructions(add)].count("BINARY_OP") == 1


def a_type_shows_when_the_line_runs() -> None:
    """The same wrong line, in a branch that runs and in one that does not."""

    def wrong(run: bool) -> object:
        return 1 + "a" if run else None  # type: ignore[operator]

    assert wrong(False) is None
    with pytest.raises(TypeError):
        wrong(True)


def known_types_give_vector_instructions() -> None:
    """One loop, compiled by Numba for arrays of a known type and for objects."""
    numba = pytest.importorskip("numba")
    import numpy as np

    @numba.njit
    def add(a, b, out):  # type: ignore[no-untyped-def]
        for i in range(a.size):
            out[i] = a[i] + b[i]

    a, b, out = np.ones((3, 100))
    add(a, b, out)
    assembly = add.inspect_asm(add.signatures[0])
    if not re.search(r"\b(?:v?addsd|fadd)\b", assembly):
        pytest.skip("needs an x86 or ARM processor")
    assert re.search(r"\bv?addpd\b|\bfadd\s+v\d+\.2d", assembly)
    with pytest.raises(numba.TypingError):
        add({}, b, out)


def c_python_is_written_in_c_too() -> None:
    """A function of Python's own is a C function, and its loop over objects is still slow."""
    assert type(sum).__name__ == "builtin_function_or_method"


def a_box_for_each_access() -> None:
    """The same element of an array and of a list, asked for twice."""
    packed, boxed = array.array("d", [1.5, 2.5]), [1.5, 2.5]
    first, again = packed[0], packed[0]
    assert first == again
    assert first is not again
    assert boxed[0] is boxed[0]


@pytest.mark.thorough
def a_call_wins_above_a_size() -> None:
    """A loop and one call of NumPy, for one element and for ten thousand."""
    import numpy as np

    def over(count: int) -> tuple[float, float]:
        numbers = [float(n) for n in range(count)]
        vector = np.array(numbers)
        return ratio_of_times(lambda: [n + n for n in numbers], lambda: vector + vector)

    assert over(1)[1] < 1 < over(10_000)[0]


def the_order_of_a_sum_is_part_of_its_result() -> None:
    """Two orders of the same three numbers; and Numba, allowed to change the order or not."""
    numbers = [0.1, 0.2, 0.3]
    assert (numbers[0] + numbers[1]) + numbers[2] != numbers[0] + (numbers[1] + numbers[2])
    numba = pytest.importorskip("numba")
    import numpy as np

    def total(a):  # type: ignore[no-untyped-def]
        result = 0.0
        for i in range(a.size):
            result += a[i]
        return result

    packed = {}
    for fast in (False, True):
        function = numba.njit(fastmath=fast)(total)
        function(np.ones(8))
        packed[fast] = bool(
            re.search(
                r"\bv?addpd\b|\bfadd\s+v\d+\.2d", function.inspect_asm(function.signatures[0])
            )
        )
    assert packed == {False: False, True: True}


@pytest.mark.thorough
def a_library_call_costs_more_than_one_addition() -> None:
    """The sum of one number, by a loop over a list and by NumPy."""
    import numpy as np

    def loop(numbers: list[float]) -> float:
        result = 0.0
        for number in numbers:
            result += number
        return result

    one, vector = [1.5], np.array([1.5])
    assert ratio_of_times(lambda: vector.sum(), lambda: loop(one))[0] > 1


def an_array_is_made_of_numbers() -> None:
    """One function, which converts its argument, for a symbolic tensor and for an array."""
    import numpy as np

    from hpml import symbolic

    def twice(x: object) -> object:
        return 2 * np.asarray(x)  # type: ignore[operator]

    assert list(twice([1, 2])) == [2, 4]  # type: ignore[call-overload]
    with pytest.raises(Exception, match="expected a number"):
        twice(symbolic.Input(shape=(3,)))


@pytest.mark.thorough
def torch_compile_records_through_numpy() -> None:
    """The same conversion, recorded by PyTorch's compiler, which does accept it."""
    import numpy as np
    import torch

    recorded: list[str] = []

    def backend(graph: torch.fx.GraphModule, _: object) -> object:
        recorded.append(graph.code)
        return graph.forward

    twice = torch.compile(lambda x: 2 * np.asarray(x), backend=backend, fullgraph=True)
    assert list(twice(torch.arange(3.0))) == [0, 2, 4]
    assert "wrapped_mul" in recorded[0]
    torch._dynamo.reset()


SHOWN: dict[str, Shown] = {
    "So every operation first has to find out the types of its operands.": (
        one_instruction_serves_all_types
    ),
    "Python finds out only when the line is executed, so it has to store the type with the "
    "value.": a_type_shows_when_the_line_runs,
    "So it generated an instruction that adds several pairs of doubles at once.": (
        known_types_give_vector_instructions
    ),
    '*"NumPy is fast because it is written in C"*: so is Python.': c_python_is_written_in_c_too,
    "The loops over the array and the tensor run on 100 elements only, because they take so "
    "long.": DESIGN,
    "So every `packed[0]` makes a new object around the number, which is called **boxing**.": (
        a_box_for_each_access
    ),
    "So there is a size below which the loop is faster and above which the call is.": (
        a_call_wins_above_a_size
    ),
    "The loop has an overhead too, so the cell passes the difference.": DESIGN,
    "- In the sum, C must add in the order that the program states, so each addition waits for the "
    "one before.": the_order_of_a_sum_is_part_of_its_result,
    "For one element the loop over a list wins, since it calls no library.": (
        a_library_call_costs_more_than_one_addition
    ),
    "A and C both predict the same difference for each element at both sizes, so it does not "
    "separate them.": RANGES,
}
ALSO: dict[str, Shown] = {
    "Then it no longer accepts this course's symbolic tensors.": an_array_is_made_of_numbers,
    "A function for numbers only may convert its argument once, with `np.asarray(x)`.": (
        torch_compile_records_through_numpy
    ),
    "It still has to take numbers out of objects and mostly to make a new one.": lab_01.question_3,
}
