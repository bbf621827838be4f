from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Sequence

import pytest

from hpml.benchmark import Comparison, Measurement
from hpml.course.errors import LabError
from hpml.labs import lab_01_dynamic_typing as dt
from hpml.labs.lab_01_dynamic_typing import compiled as building
from hpml.labs.lab_01_dynamic_typing.compiled import CompiledLoops, compiled_loops
from hpml.labs.lab_01_dynamic_typing.crossing import CALLS, LOOP, Line, SmallSizes
from hpml.labs.lab_01_dynamic_typing.measuring import ways
from hpml.labs.lab_01_dynamic_typing.operations import OPERATIONS
from hpml.profiling import memory_of

np = pytest.importorskip("numpy", reason="needs numpy")
torch = pytest.importorskip("torch", reason="needs torch")

needs_a_compiler = pytest.mark.skipif(
    building.find_compiler() is None, reason="needs a C compiler (cc, gcc or clang)"
)


@pytest.fixture(scope="module", params=["C", "Numba"])
def loops(request: pytest.FixtureRequest) -> CompiledLoops:
    if request.param == "C" and building.find_compiler() is None:
        pytest.skip("needs a C compiler (cc, gcc or clang)")
    made = compiled_loops(request.param)
    assert made.name == f"{request.param} loop"
    return made


EXPECTED = {
    "add": lambda a, b: a + b,
    "multiply": lambda a, b: a * b,
    "root": lambda a, b: a**0.5,
    "total": lambda a, b: [a.sum(), *[0] * (len(a) - 1)],
}


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("n", [1, 2, 7, 1000])
def test_a_compiled_loop_computes_what_numpy_does(loops: CompiledLoops, name: str, n: int) -> None:
    generator = np.random.default_rng(n)
    a, b, out = generator.random(n), generator.random(n), np.zeros(n)
    loops.run(name, a, b, out)()
    np.testing.assert_allclose(out, EXPECTED[name](a, b), rtol=1e-12)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_way_of_an_operation_comes_to_the_same(operation: str) -> None:
    forms = OPERATIONS[operation]
    arrays = [np.array([4.0, 9.0, 0.25]), np.array([1.0, 2.0, 3.0]), np.zeros(3)]
    truth = np.array(EXPECTED[forms.name](*arrays[:2]))
    lists = [array.tolist() for array in arrays]
    tensors = [torch.from_numpy(array.copy()) for array in arrays]
    copies = [array.copy() for array in arrays]
    for given in (lists, tensors, copies):
        forms.loop(*given)
        np.testing.assert_allclose(np.asarray(given[-1]), truth)
    for result in (forms.numpy(np, *arrays), forms.torch(torch, *tensors)):
        assert np.allclose(np.asarray(result), truth if forms.name != "total" else truth[0])


def test_ways_are_those_that_the_size_allows() -> None:
    compiled = compiled_loops()
    assert "loop over a tensor" in ways("a + b", 10, compiled)
    assert "loop over a tensor" not in ways("a + b", 10_001, compiled)
    for run in ways("sum of a", 3, compiled).values():
        run()
    with pytest.raises(LabError, match=r"Expected one of a \+ b, .*got 'a / b'"):
        ways("a / b", 3, compiled)


def test_without_a_compiler_numba_does_it_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda command: None)
    made = compiled_loops()
    assert made.name == "Numba loop"
    assert "there is no C compiler here" in made.made_by
    assert "no C compiler here to ask" in dt.compiler_says("int a;").plain


@needs_a_compiler
def test_a_compiler_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "c_source", lambda: "this is no C")
    made = compiled_loops()
    assert made.name == "Numba loop"
    assert "could not build the loops" in made.made_by


def test_without_both_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda command: None)
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(LabError, match=r"a C compiler or Numba: .* Install either"):
        compiled_loops()


@needs_a_compiler
def test_what_the_compiler_says_names_no_path_of_this_machine() -> None:
    page = dt.compiler_says('int f(void) { return 1 * "one"; }')
    assert "error: invalid operands" in page.plain
    assert "/" not in page.plain.replace("*/", "")
    assert "<pre" in page.html
    assert "nothing to complain about" in dt.compiler_says("int main(void) { return 0; }").plain


def steady(baseline: str, **seconds: float) -> Comparison:
    """Return a comparison of contenders that take the same in every round."""
    found = [Measurement(name, (s,) * 8, number=1) for name, s in seconds.items()]
    return Comparison(tuple(found), baseline=baseline, asked_rounds=8)


def small_sizes(sizes: Sequence[int], lines: dict[str, Line]) -> SmallSizes:
    found = [
        steady(LOOP, **{way: line.overhead + n * line.per_item for way, line in lines.items()})
        for n in sizes
    ]
    return SmallSizes(tuple(sizes), tuple(found))


LINES = {LOOP: Line(1e-7, 4e-8), CALLS[0]: Line(4e-7, 1e-8), CALLS[1]: Line(9e-7, 5e-8)}


def test_lines_that_cross_are_found_to_cross_there() -> None:
    small = small_sizes([1, 4, 16, 64], LINES)
    assert small.overtakes(CALLS[0]) == pytest.approx(10)
    assert small.line(CALLS[0]) == pytest.approx((4e-7, 1e-8))
    assert small.line(LOOP) == pytest.approx((1e-7, 4e-8))


def test_one_disturbed_size_gives_no_negative_cost() -> None:
    sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    found = [1e-7 + 4e-8 * n for n in sizes]
    found[-1] *= 1.3
    runs = tuple(steady(LOOP, **{LOOP: seconds}) for seconds in found)
    line = SmallSizes(tuple(sizes), runs).line(LOOP)
    assert line.overhead > 5e-8
    assert line.per_item == pytest.approx(4.3e-8, rel=0.1)


def test_a_call_that_is_slower_everywhere_never_overtakes() -> None:
    small = small_sizes([1, 4, 16, 64], LINES)
    assert small.overtakes(CALLS[1]) == math.inf
    page = dt.draw_crossing(small)
    assert "the torch call never overtakes the loop" in page.plain
    assert "The NumPy call overtakes the loop at about 10 elements" in page.plain
    assert "no size measured" in str(small.table)


def test_a_cost_below_nothing_is_not_shown_as_a_cost() -> None:
    table = small_sizes([1, 4, 16], {**LINES, CALLS[0]: Line(4e-7, -1e-11)}).table
    assert "cannot tell" in str(table)
    assert "-0.0" not in str(table)


def test_a_call_that_is_never_slower_overtakes_at_the_first_size() -> None:
    lines = {**LINES, CALLS[0]: Line(1e-8, 1e-9)}
    assert small_sizes([2, 4], lines).overtakes(CALLS[0]) == 2


@pytest.mark.parametrize("sizes", [[1], [2, 1], [1, 1], [0, 4]])
def test_sizes_must_rise(sizes: list[int]) -> None:
    with pytest.raises(LabError, match="rising sizes from 1"):
        dt.measure_small_sizes(sizes)


def test_small_sizes_are_measured() -> None:
    small = dt.measure_small_sizes([1, 64], rounds=6, min_sample_time=1e-4)
    assert all(time > 0 for way in (LOOP, *CALLS) for time in small.times(way))
    assert len(small.table) == 3


def test_the_picture_of_times_says_which_is_fastest() -> None:
    times = steady("loop over a list", **{"loop over a list": 4e-8, "NumPy call": 2e-10})
    text = dt.draw_times(times, "a + b", 10_000).plain
    assert text.startswith(
        "Fastest: NumPy call, 0.2 ns for each element; slowest: loop over a list, 40 ns, about 200"
    )
    assert "measured up to 10,000" not in text
    assert "measured up to 10,000" in dt.draw_times(times, "a + b", 20_000).plain


def test_every_choice_of_the_widget_is_measured_for_each_element() -> None:
    chosen = dt.times_by_choice([1, 3], compiled_loops(), rounds=2)
    assert set(chosen) == {(operation, n) for operation in OPERATIONS for n in (1, 3)}
    assert all(way.median > 0 for times in chosen.values() for way in times)
    some = dt.measure_loops("a + b", 3, compiled_loops(), rounds=2, only=["loop over a list"])
    assert some.names == ("loop over a list",)


def test_the_picture_of_memory_says_how_many_times() -> None:
    page = dt.draw_memory([memory_of(1000, kind) for kind in ("list", "array")])
    assert page.plain.startswith("The list takes 4.0 times the bytes of the array.")


@pytest.mark.parametrize(
    ("ns", "says"),
    [
        ((15, 45, 30, 60, 90, 18, 18), ["Only A", "50% of what", "B has no part"]),
        ((15, 15, 15, 60, 60, 18, 40), ["Only C", "B has no part"]),
        ((15, 45, 20, 60, 90, 10, 30), ["A and C both", "75% is looking", "25% adding"]),
        ((15, 45, 20, 20, 190, 18, 18), ["Only A", "B has a part"]),
        ((15, 45, 20, 90, 95, 18, 18), ["Only A", "list takes 75.0 ns more", "B has no part"]),
        ((15, 16, 15, 20, 21, 18, 18), ["cannot tell"]),
    ],
)
def test_what_fits_follows_from_the_measurement(ns: Sequence[float], says: list[str]) -> None:
    names = ["list", "array", "array.array", "list, many", "array, many", "floats"]
    named = dict(zip([*names, "NumPy's numbers"], [1e-9 * x for x in ns], strict=True))
    text = dt.what_fits(steady("list", **named)).replace("**", "")
    assert all(words in text for words in says), text


def test_a_number_that_only_writes_keeps_the_order_of_operations() -> None:
    x = dt.Written("x")
    assert repr((x + 1) * x + 2) == "(x + 1) * x + 2"
    assert repr(2 * (1 + x)) == "2 * (1 + x)"
    assert eval(repr((3 * x + 2) * x + 1), {"x": 5}) == (3 * 5 + 2) * 5 + 1


def test_a_symbolic_tensor_is_shown_with_its_batch_open() -> None:
    from hpml.symbolic import Input

    table = dt.tried(lambda x: 2 * x, {"symbolic": Input(shape=(3,))})
    assert "<SymbolicTensor of shape (None, 3), float32" in str(table.rows[0][2])
