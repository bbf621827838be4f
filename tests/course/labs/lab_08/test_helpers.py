from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from hpml.benchmark import Comparison, Measurement
from hpml.benchmark.roofline import Kernel, Limits
from hpml.course.labs.lab_08_fusion_and_compilers import (
    compiling,
    fusing,
    ladder,
    loops,
    rungs,
    rungs_in_c,
    timeline,
)
from hpml.course.this_run import compiler_of_this_run
from hpml.jit import FirstCall


@pytest.mark.needs("C compiler")
def test_the_loops_in_c_compute_what_the_lecture_says() -> None:
    made, said = loops.loops_in_c()
    x, y = np.random.default_rng(0).random((2, 5), dtype=np.float32)
    for loop in made.values():
        xy = np.zeros((5, 5), np.float32)
        loop(x, y, xy)
        np.testing.assert_allclose(xy, np.outer(x, y) * 100 + 10, rtol=1e-5)
    assert (len(made), said.plain) == (2, "The loops in C were built.")


def test_without_a_compiler_the_lab_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("HPML_QUICK", raising=False)
    made, said = loops.loops_in_c()
    assert made == {}
    assert "there is no cc here" in " ".join(said.plain.split())
    options, why = compiler_of_this_run()
    assert (options, "there is no g++ here" in why) == ({"backend": "aot_eager"}, True)


@pytest.mark.parametrize("unfinished", [lambda *_: None, lambda *_: 1 / 0, lambda *_: 2.5])
def test_the_lab_counts_until_the_student_does(unfinished: Any) -> None:
    operations, shapes = [("a", ["x"]), ("b", ["a"])], dict.fromkeys("xab", (5,))
    apart, together, whose = loops.bytes_of(unfinished, operations, shapes)
    assert (apart, together, "the lab" in whose) == (80, 40, True)


def test_guards_are_seen_to_fail_for_another_type_and_shape() -> None:
    calls = {"5": torch.ones(5), "again": torch.zeros(5), "7": torch.ones(7), "9": torch.ones(9)}
    calls |= {"double": torch.ones(5).double()}
    table = compiling.recompilations(lambda x: x * 100 + 10, calls)
    assert [text != "reused" for text in table.column("graphs")] == [True, False, True, False, True]
    first, again, length, longer, kind = table.column("because")
    assert (first, again, longer) == ("–", "–", "–")
    assert "size mismatch" in str(length)
    assert "dtype mismatch" in str(kind)


def test_equal_blocks_share_a_graph_that_is_smaller_than_that_of_the_whole() -> None:
    whole, block = compiling.regional(3).rows
    assert whole[:3] == ("the whole model", 1, 6)
    assert block[:3] == ("each block", 1, 2)


def decide(x: Any) -> Any:
    if x.sum() > 0:
        return x * 2
    return x - 1


def test_a_compiled_branch_breaks_the_graph_and_stays_right_and_an_operator_does_not_break() -> (
    None
):
    functions = {"decide": decide, "where": lambda x: torch.where(x.sum() > 0, x * 2, x - 1)}
    branch, operator = compiling.compiled(functions, torch.tensor([-3.0, 1.0])).rows
    assert (branch[1], branch[3]) == (2, "[-4.0, 0.0]")
    assert branch[2] == "if x.sum() > 0: an if or a loop depends on the value of a tensor"
    assert operator[1:] == (1, "–", "[-4.0, 0.0]")


def test_a_compiler_pays_where_later_calls_are_faster() -> None:
    def times(name: str, seconds: float) -> Measurement:
        return Measurement(name, tuple(seconds * (1 + n / 1000) for n in range(9)), 1)

    later = Comparison(
        (times("Python", 2e-3), times("trace", 2e-3), times("compile", 1e-3)), "Python", 9
    )
    first = {"Python": 0.002, "trace": 0.1, "compile": 5.002}
    ready = {name: FirstCall(abs, 0.0, seconds) for name, seconds in first.items()}
    column = compiling.paying(ready, later).column("pays off after")
    assert column == ("–", "does not pay off here", "about 5,000 calls")


SHAPES = [
    (0, 3, 4), (3, 0, 4), (3, 4, 0), (1, 1, 1), (4, 4, 4), (5, 7, 3), (13, 9, 37), (6, 256, 32),
    (7, 259, 33), (12, 5, 64),
]  # fmt: skip


def _given(shape: tuple[int, int, int]) -> tuple[Any, ...]:
    n, d, m = shape
    whole = np.random.default_rng(0).integers
    x, y = whole(-3, 4, (n, d)).astype(np.float32), whole(-3, 4, (d, m)).astype(np.float32)
    return x, y, np.full((n, m), np.nan, np.float32), x.astype(float) @ y * 100 + 10


@pytest.mark.parametrize("rung", rungs.RUNGS, ids=lambda rung: rung.__name__)
def test_each_rung_is_right_for_every_shape_in_python_and_compiled(rung: Any) -> None:
    for shape in SHAPES:
        x, y, out, right = _given(shape)
        rungs.compiled(rung)(x, y, out)
        assert np.array_equal(out, right), shape
    x, y, out, right = _given((5, 7, 3))
    rung(x, y, out)
    assert np.array_equal(out, right)


@pytest.mark.parametrize("rung", rungs.RUNGS, ids=lambda rung: rung.__name__)
def test_each_rung_agrees_with_torch_on_numbers_that_are_rounded(rung: Any) -> None:
    x, y = (np.random.default_rng(k).normal(size=(61, 61)).astype(np.float32) for k in (1, 2))
    rungs.compiled(rung)(x, y, out := np.empty_like(x))
    right = torch.mm(torch.from_numpy(x), torch.from_numpy(y)).mul(100).add(10).numpy()
    np.testing.assert_allclose(out, right, rtol=1e-4, atol=5e-3)


@pytest.mark.needs("C compiler")
def test_each_rung_in_c_is_right_for_every_shape() -> None:
    made, said = rungs_in_c.rungs_in_c()
    assert said.plain == "The rungs in C were built."
    assert {"loops", "strides", "order", "fused"} <= set(made)
    for name, rung in made.items():
        for shape in SHAPES:
            x, y, out, right = _given(shape)
            rung(x, y, out)
            assert np.array_equal(out, right), (name, shape)


def test_threads_share_the_rows_of_any_number() -> None:
    for shape in SHAPES:
        x, y, out, right = _given(shape)
        ladder.on_threads(rungs.compiled(rungs.tile), 3)(x, y, out)
        assert np.array_equal(out, right), shape


def test_the_race_is_per_operation_and_restores_the_threads_of_torch() -> None:
    product, before = ladder.Product(64), torch.get_num_threads()
    kernels = {name: ladder.in_numba()[name] for name in ("loops", "order")}
    raced = product.race(kernels, "order", threads=2)
    assert raced.names == ("loops", "order", "torch.mm, 2 threads")
    assert {name: raced[name].items for name in raced.names} == {
        "loops": 64**2,
        "order": 64**3,
        "torch.mm, 2 threads": 64**3,
    }
    assert torch.get_num_threads() == before
    works = ladder.works(product, raced)
    assert set(works) == {"loops", "order"}
    assert works["order"].intensity == 2 * 64**3 / (3 * 4 * 64**2)
    table = ladder.instruction_table(raced, kernels)
    assert table.column("rung") == raced.names
    assert table.column("gain")[0] == "–"
    assert table.column("× loops")[0] == "1"
    assert "times as fast as loops" in ladder.climbed(raced, "loops", "order").plain.replace(
        "`", ""
    )
    assert "× loops" in ladder.draw_ladder(raced, 1e11).plain


def test_the_limits_are_those_of_copying_and_of_multiply_adds() -> None:
    small = np.ones((8, 8), np.float32)
    limits, works = loops.limits_and_works({"one": lambda: small + 1}, {"one": (64, 512)}, 1)
    assert set(works) == {"one"}
    assert 0 < works["one"].speed < limits.peak
    assert limits.bandwidth > 0


@pytest.mark.gpu
def test_two_streams_have_their_own_stamps() -> None:
    spans = timeline.on_streams(*torch.rand(3, 500, 500))
    assert all(0 <= start < end for _, start, end in spans)


def test_the_timeline_shows_the_round_with_the_median_ratio() -> None:
    taken = iter([9.0, 9.0, 0.5, 0.6, 5.0, 0.55, 0.58, 0.1, 0.57])  # two warm-up rounds, one burst

    def sequence() -> list[timeline.Span]:
        return [("a", 0.0, 0.5), ("b", 0.5, 1.0)]

    def threads() -> list[timeline.Span]:
        return [("a", 0.0, 0.2), ("b", 0.0, next(taken))]

    found = timeline.median_round({"in sequence": sequence, "two threads": threads}, rounds=7)
    assert timeline.duration(found["two threads"]) == 0.57
    assert timeline.duration(found["in sequence"]) == 1.0


def test_the_instruction_is_that_of_the_main_loop_and_not_of_what_is_left_over() -> None:
    rest = "\n.LBB0_2:\n  vfmadd231ps (%rax), %ymm1, %ymm0\n  jne .LBB0_2"
    main = ".LBB0_1:\n" + "  vfmadd213ps %zmm3, %zmm2, %zmm1\n" * 4 + "  jne .LBB0_1"
    assert ladder.multiply_add(rest + "\n" + main) == ("vfmadd213ps, zmm", "16")
    assert ladder.multiply_add(main + rest) == ("vfmadd213ps, zmm", "16")
    arm = "LBB0_1:\n  fmadd s0, s1, s2, s3\n  b.ne LBB0_1"
    assert ladder.multiply_add(arm) == ("fmadd, s", "1")


def test_dots_and_labels_of_the_ladder_agree_when_a_rung_was_slow_for_a_moment() -> None:
    def times(name: str, seconds: tuple[float, ...]) -> Measurement:
        return Measurement(name, seconds, 1)

    slow = times("loops", (2e-9, 2.02e-9, 4e-9, 4.02e-9, 2.04e-9, 2.06e-9, 2.08e-9))
    fast = times("tile", (1e-9, 1.01e-9, 2e-9, 2.01e-9, 1.02e-9, 1.03e-9, 1.04e-9))
    drawn = ladder.draw_ladder(Comparison((slow, fast), "loops", 7), 1e11).plain
    assert "2 × loops" in drawn
    first, second = (
        float(drawn.split(f"{name}: ")[1].split(",")[0].split(";")[0]) for name in ("loops", "tile")
    )
    assert second / first == pytest.approx(2, rel=0.01)


def test_a_rung_without_a_certain_speed_does_not_squeeze_the_others() -> None:
    wild = Measurement("wild", tuple(10.0**power for power in (-13, -5, -12, -6, -11, -7, -9)), 1)
    calm = [Measurement(name, (2e-9,) * 7, 1) for name in ("loops", "tile")]
    steady = ladder.draw_ladder(Comparison(tuple(calm), "loops", 7), 1e11).plain
    drawn = ladder.draw_ladder(Comparison((*calm, wild), "loops", 7), 1e11).plain
    assert "A line up to the edge is longer." in drawn
    assert "up to the edge" not in steady


LECTURE = [("xy", ["x", "y"]), ("scaled", ["xy"]), ("shifted", ["scaled"])]
ARRAYS = dict.fromkeys(["xy", "scaled", "shifted"], (100, 100)) | {"x": (100,), "y": (100,)}


def test_each_fused_loop_saves_a_write_and_a_read_and_more_operations_pass_the_ridge() -> None:
    found = fusing.states(LECTURE, ARRAYS, ridge=5.0)
    vectors, result = 2 * 400, 40_000
    assert [each.bytes for each in found[:3]] == [
        vectors + 5 * result,
        vectors + 3 * result,
        vectors + result,
    ]
    assert {each.bytes for each in found[2:]} == {vectors + result}
    assert [each.operations for each in found] == [30_000] * 3 + [120_000, 480_000]
    assert found[-2].intensity < 5 < found[-1].intensity
    assert found[1].loops == ("reads x, y; writes scaled", "reads scaled; writes shifted")


def test_only_what_was_measured_is_drawn_as_measured() -> None:
    works = {"three": Kernel(30_000, 200_800, 4e-5), "another": Kernel(30_000, 1, 4e-5)}
    animation = fusing.fusing(Limits(1e10, 5e10), works, LECTURE, ARRAYS, "One core.")
    first, *others = animation.keyframes
    assert "memory allows 1.5 GFLOP/s, measured 0.75: 50 % of it" in first.line
    assert all("not measured here" in each.line for each in others)
    assert first.pieces["state"].count('class="measured') == 1
    assert [each.pieces["state"].count('class="bound') for each in animation.keyframes] == [
        1,
        2,
        3,
        4,
        5,
    ]
