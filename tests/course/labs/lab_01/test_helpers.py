from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Sequence

import numpy as np
import pytest
import torch

from hpml.course.labs.lab_01_dynamic_typing import crossing, harness, loops, objects, types
from hpml.course.labs.lab_01_dynamic_typing.crossing import CALLS, LOOP, Line, SmallSizes
from hpml.course.labs.lab_01_dynamic_typing.loops import OPERATIONS, compiled_loops
from hpml.course.lesson.conclusions.concluding import judge
from tests.benchmark.fakes import steady

needs_a_compiler = pytest.mark.needs("C compiler")

EXPECTED = {
    "add": lambda a, b: a + b,
    "multiply": lambda a, b: a * b,
    "root": lambda a, b: a**0.5,
    "total": lambda a, b: [a.sum(), *[0] * (len(a) - 1)],
}


@pytest.mark.parametrize("made_by", [pytest.param("C", marks=needs_a_compiler), "Numba"])
def test_a_compiled_loop_computes_what_numpy_does(
    made_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if made_by == "Numba":
        monkeypatch.setattr(shutil, "which", lambda command: None)
        assert "no C compiler" in loops.compiler_says("int a;").plain
    compiled = compiled_loops()
    assert compiled.name == f"{made_by} loop"
    for name, expected in EXPECTED.items():
        for n in (1, 2, 7, 1000):
            a, b, out = np.linspace(0.5, 1, n), np.linspace(1, 2, n), np.zeros(n)
            compiled.run(name, a, b, out)()
            np.testing.assert_allclose(out, expected(a, b), rtol=1e-12)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_way_of_an_operation_comes_to_the_same(operation: str) -> None:
    forms = OPERATIONS[operation]
    arrays = [np.array([4.0, 9.0, 0.25]), np.array([1.0, 2.0, 3.0]), np.zeros(3)]
    truth = np.array(EXPECTED[forms.name](*arrays[:2]))
    lists = [array.tolist() for array in arrays]
    tensors = [torch.from_numpy(array.copy()) for array in arrays]
    for given in (lists, tensors, [array.copy() for array in arrays]):
        forms.loop(*given)
        np.testing.assert_allclose(np.asarray(given[-1]), truth)
    for result in (forms.call(np, *arrays), forms.call(torch, *tensors)):
        assert np.allclose(np.asarray(result), truth if forms.name != "total" else truth[0])


def test_loops_over_arrays_and_tensors_are_short_enough_for_a_busy_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = set()
    compiled = compiled_loops()  # before the change below, which Numba cannot compile
    forms = OPERATIONS["a + b"]._replace(loop=lambda a, b, out: seen.add((type(a), len(a))))
    monkeypatch.setitem(OPERATIONS, "a + b", forms)
    loops.measure_loops("a + b", 1000, compiled, rounds=6, min_sample_time=1e-6)
    assert seen == {(torch.Tensor, 100), (np.ndarray, 100), (list, 1000)}


@needs_a_compiler
def test_with_a_compiler_that_fails_numba_does_it_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loops, "c_source", lambda: "this is no C")
    made = compiled_loops()
    assert made.name == "Numba loop"
    assert "could not build" in made.made_by


@needs_a_compiler
def test_what_the_compiler_says_names_no_path_of_this_machine() -> None:
    page = loops.compiler_says('int f(void) { return 1 * "one"; }')
    assert "error: invalid operands" in page.plain
    assert "/" not in page.plain.replace("*/", "")


def small_sizes(sizes: Sequence[int], lines: dict[str, Line]) -> SmallSizes:
    found = {
        n: steady(LOOP, **{way: line.overhead + n * line.per_item for way, line in lines.items()})
        for n in sizes
    }
    return SmallSizes(found)


LINES = {LOOP: Line(1e-7, 4e-8), CALLS[0]: Line(4e-7, 1e-8), CALLS[1]: Line(9e-7, 5e-8)}


def test_lines_that_cross_are_found_to_cross_there_and_others_never() -> None:
    small = small_sizes([1, 4, 16, 64], LINES)
    assert small.overtakes(CALLS[0]) == pytest.approx(10)
    assert small.overtakes(CALLS[1]) == math.inf
    assert small.line(CALLS[0]) == pytest.approx((4e-7, 1e-8))
    page = crossing.draw_crossing(small)
    assert "the NumPy call at 10 elements, the torch call at no measured size" in page.plain
    always = small_sizes([2, 4], {**LINES, CALLS[0]: Line(1e-8, 1e-9)})
    assert always.overtakes(CALLS[0]) == 2


@pytest.mark.parametrize(
    ("ns", "fits", "says"),
    [
        ((15, 45, 30, 60, 90, 18, 18), "A", ["costs 50% of the extra time"]),
        ((15, 45, 20, 60, 90, 10, 30), "none of them alone", ["75% is lookup and 25% is addition"]),
        ((15, 16, 15, 20, 190, 18, 18), "B", []),
        ((15, 15, 15, 60, 61, 18, 40), "cannot tell", []),
    ],
)
def test_what_fits_follows_from_the_measurement(
    ns: Sequence[float], fits: str, says: list[str]
) -> None:
    names = ["list", "array", "array.array", "list, many", "array, many", "floats"]
    named = dict(zip([*names, "NumPy's numbers"], [1e-9 * x for x in ns], strict=True))
    measured = steady("list", **named)
    assert judge("01", types.extra_times(measured)).fits == fits
    text = types.shares(measured).replace("**", "")
    assert all(words in text for words in says), text


@pytest.mark.parametrize("kind", ["array", "numpy", "tensor"])
def test_other_containers_than_a_list_take_eight_bytes_a_number_and_a_container(kind: str) -> None:
    memory = objects.memory_of(1001, kind)
    assert memory.parts["numbers"] == 8 * 1001
    assert set(memory.parts) == {"container", "numbers"}
    assert 0 < memory.parts["container"] == objects.memory_of(1, kind).parts["container"]


def test_the_memory_of_a_list_is_as_large_as_python_says() -> None:
    numbers = [float(number) for number in range(1001)]
    exact = list(numbers)
    expected = sys.getsizeof(exact) + 1001 * sys.getsizeof(1.0)
    assert objects.memory_of(1001, "list").total == expected


def test_each_reference_is_an_arrow_of_its_own() -> None:
    numbers = [1000, 2000]
    page = objects.draw_objects(numbers=numbers, pair=(numbers, numbers), tensor=torch.ones(3))
    first, *arrows = page.plain.splitlines()
    assert first.startswith("Each arrow is a reference. 3 ")
    assert sum("→ count, type: list" in arrow for arrow in arrows) == 3
    assert sum("→ count, type: int" in arrow for arrow in arrows) == 2
    assert arrows[-1].endswith("storage [1.0, 1.0, 1.0] 12 bytes")
    assert page.png


def test_a_duck_has_no_attribute_that_gives_its_value_away() -> None:
    given = harness.numbers({"kind": "in place", "coefficients": [2, 3], "x": 10})
    duck = given["coefficients"][0]
    own = {name for name in dir(duck) if not name.startswith("__")}
    assert own == set()
    assert not hasattr(duck, "__dict__")
    duck *= given["x"]
    duck += given["coefficients"][1]
    found = harness.value_and_multiplications(duck, given)
    assert found == {"value": {"InPlaceDuck": 23}, "multiplications": 1, "tried": []}
