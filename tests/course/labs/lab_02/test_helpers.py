from __future__ import annotations

import math
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from hpml.base import style
from hpml.benchmark import Ratio
from hpml.bytecode import disassemble, trace
from hpml.course.labs.lab_02_bytecode import counting, harness, slide, stages, threads
from hpml.course.labs.lab_02_bytecode.dumbbells import Dumbbell, dumbbells
from hpml.course.lesson.cells import code_cells
from hpml.course.lesson.conclusions.concluding import judge
from hpml.course.lesson.errors import LabError
from hpml.course.lesson.execute import find_lab
from tests.benchmark.fakes import steady
from tests.drawn import drawn, overlap
from tests.parts import raises

SOLUTIONS = Path(__file__).parents[3] / "solutions" / "lab_02"
execute, max_stack_depth = (
    runpy.run_path(str(SOLUTIONS / name / "right.py"))[name]
    for name in ("execute", "max_stack_depth")
)


def larger(a: int, b: int) -> int:
    if a > b:
        return a
    return b


def lecture(a: Any, b: Any, c: Any) -> Any:
    d = a + b * c
    return d


def loop_over(text: str) -> None:
    for _ in text:
        pass


def countdown(n: int) -> int:
    total = 0
    while n:
        total += n * n
        n -= 1
    return total


def slides_f() -> Any:
    x = torch.randn(2, 2)  # type: ignore[name-defined]  # noqa: F821
    return x.mm(x)


def test_the_slide_stands_whole_on_the_left_and_todays_bytecode_on_the_right() -> None:
    table = slide.lecture_beside(slides_f)
    left, right = ([text for text in table.column(name) if text] for name in table.columns[:2])
    assert left == [
        f"{offset} {name} {operand}".rstrip() for offset, name, operand in slide.LISTING
    ]
    assert right == [f"{step.offset} {step}" for step in disassemble(slides_f).instructions]


def odd_sum(n: int) -> None:
    total = 0
    i = 1
    while i < n:
        total = total + i
        i = i + 2


@pytest.mark.parametrize("n", range(8))
def test_the_slides_instructions_of_the_loop_do_what_the_loop_does(n: int) -> None:
    _, total, _ = execute(slide.ODD_SUM, [n, None, None])
    assert total == sum(i for i in range(n) if i % 2)


def test_a_machine_is_raced_and_an_unfinished_one_is_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "[50, 625, 51]" in str(slide.race(execute, odd_sum, 50))
    assert "Finish the exercise" in str(slide.race(lambda program, values: None, odd_sum, 50))
    assert "left out: it returned None" in capsys.readouterr().out


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="a loop's end removes as much as it adds")
def test_a_function_whose_stack_depends_on_a_jump_is_refused() -> None:
    with raises(LabError, object="function of effects", expected="`for`", received="loop_over"):
        slide.effects(loop_over)


@pytest.mark.parametrize("function", [larger, lecture, countdown, slides_f])
def test_following_the_effects_gives_the_compilers_own_stack_size(function: Any) -> None:
    assert max_stack_depth(slide.effects(function)) == function.__code__.co_stacksize


def test_the_log_tells_when_ints_and_then_floats_get_their_form() -> None:
    for _ in range(50):
        lecture(1.0, 2.0, 3.0)
    changes = stages.specialisation_log(lecture, [(2, 3, 4)] * 100 + [(2.0, 3.0, 4.0)] * 100)
    forms = [(row[0], row[4]) for row in changes.rows if str(row[4]).startswith("BINARY_OP_M")]
    assert [form for _, form in forms] == ["BINARY_OP_MULTIPLY_INT", "BINARY_OP_MULTIPLY_FLOAT"]
    assert int(str(forms[0][0])) < 100 < int(str(forms[1][0]))


def test_instructions_are_counted_for_each_line_as_often_as_it_is_executed() -> None:
    table = counting.count_lines(larger, 1, 2)
    counts = dict(zip(map(str, table.column("line")), table.column("instructions"), strict=True))
    assert counts["        return a"] == 0
    assert sum(int(str(count)) for count in counts.values()) == len(trace(larger, 1, 2))


@pytest.mark.parametrize(
    ("power", "form", "constant", "fits"),
    [
        (2.0, 1.1, 1.0, "A"),
        (2.0, 1.9, 1.0, "B"),
        (2.0, 1.0, 1.8, "C"),
        (2.0, 1.9, 1.9, "none of them alone"),
        (1.0, 1.0, 1.0, "cannot tell"),
    ],
)
def test_the_verdict_follows_the_measurement(
    power: float, form: float, constant: float, fits: str
) -> None:
    times = {
        "x * x": 1e-8,
        "x ** 2.0": power * 1e-8,
        "x * 2.0": constant * 1e-8,
        "x / x": form * 1e-8,
    }
    measured = steady("x * x", **times)
    extra = {name: measured.difference(name) for name in times}
    shares = {name: extra[name] / extra["x ** 2.0"] for name in ("x / x", "x * 2.0")}
    found = judge("02", {f"`{name}`, of the extra time": each for name, each in shares.items()})
    assert found.fits == fits


def test_the_notebook_shows_the_function_that_is_to_be_rewritten() -> None:
    cells = code_cells(find_lab("02").read_text("utf-8")).values()
    (source,) = (cell for cell in cells if cell.startswith("def given("))
    scope: dict[str, Any] = {}
    exec(source.partition("\n\n\n")[0], scope)
    shown, graded = (
        [(step.opname, step.argrepr) for step in disassemble(f).instructions]
        for f in (scope["given"], harness.given)
    )
    assert shown == graded


def test_a_dumbbell_shows_its_ratio_in_the_margin_and_no_empty_range() -> None:
    ratios = {
        threads.THREADS: Ratio(2.02, 1.98, 2.06, "slower"),
        threads.PROCESSES: Ratio(1.06, 1.02, 1.35, "slower"),
        threads.HASHES: Ratio(1.0, 0.0, math.inf, "cannot tell"),
    }
    plain = threads.GilScaling(ratios).draw().plain
    assert "two threads: 2.02 (1.98 to 2.06); two processes: 1.1 (1.02 to 1.4); " in plain
    assert "two threads, hashing: unknown." in plain
    rows = {name: Dumbbell(ratio) for name, ratio in list(ratios.items())[:2]}
    figure, ax = style.figure()
    dumbbells(rows, title="title", x="x").on(ax)
    figure.canvas.draw()
    low, high = ax.get_xlim()
    assert 0.9 < low < 1
    assert 2.06 < high < 2.2
    edge = ax.get_window_extent().x1
    assert all(text.get_window_extent().x0 > edge for text in ax.texts)


def test_the_two_ends_of_a_dumbbell_are_named_apart_where_others_are_far_out() -> None:
    wide = Dumbbell(Ratio(5.0, 3.9, 8.3, "slower"))
    ax = drawn(dumbbells({"one": wide}, title="title", x="x"))
    assert [label.get_text().split(":")[0].strip() for label in ax.get_xticklabels()] == ["1", "2"]
    assert not overlap(ax.get_xticklabels())
