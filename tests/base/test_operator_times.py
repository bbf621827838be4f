"""The report of a run, from stamps of a clock that nobody waited for, and what HPML_TIMING asks."""

from __future__ import annotations

import pytest

from hpml.base.operator_times import (
    OTHER,
    RELEASE,
    Label,
    OperatorTimes,
    Timing,
    TimingError,
    check_sort,
    timing_from_environment,
)
from tests.parts import raises

LINEAR, RELU = Label("Linear", "Linear_1"), Label("relu", "relu_1")
MS = 1_000_000


def run_of(**options: object) -> OperatorTimes:
    """A run of 10 ms: Linear 6 and 1, relu 2, letting go 0.5, the rest 0.5."""
    ends = [0, 6, 6.5, 8.5, 9.5, 10]
    labels = [LINEAR, RELEASE, RELU, LINEAR._replace(node="Linear_2"), OTHER]
    stamps = [50 + int(end * MS) for end in ends]
    return OperatorTimes(stamps, labels, **options)  # type: ignore[arg-type]


def test_the_text_is_that_of_rten() -> None:
    assert str(run_of(note="Mind this.")) == (
        "Graph run of 3 ops finished in 10.000 ms\n"
        "\n"
        "Linear            7.000 ms  (70.0%)\n"
        "relu              2.000 ms  (20.0%)\n"
        "[Mem alloc/free]  0.500 ms  (5.0%)\n"
        "[Other]           0.500 ms  (5.0%)\n"
        "\n"
        "Mind this.\n"
    )


def test_rows_add_up_to_the_whole_and_what_is_named_is_attributed() -> None:
    run = run_of()
    assert sum(run.by_operator.values()) == run.total == 10 * MS
    assert sum(run.table().column("share")) == pytest.approx(1)  # type: ignore[arg-type]


def test_by_shape_groups_calls_of_one_operator_on_the_same_shapes() -> None:
    run = run_of(shapes=[((2, 5),), ((4,), (4,)), ((2, 5),)])
    assert run.by_shape().rows == (
        ("Linear", "[2, 5]", 2, 3.5, 7.0, 350_000.0, "Linear_1"),
        ("relu", "[4], [4]", 1, 2.0, 2.0, 250_000.0, "relu_1"),
    )
    assert str(run.by_shape()) in str(run)
    assert run._repr_html_().count("<table") == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("time", False)),
        ("sort=name by-shape=1", ("name", True)),
        ("by-shape=yes", ("time", True)),
        ("by-shape=true sort=time", ("time", True)),
        *[(f"by-shape={no}", ("time", False)) for no in ("0", "false", "no")],
    ],
)
def test_the_environment_is_read_as_rtens(
    text: str, expected: tuple[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HPML_TIMING", text)
    assert timing_from_environment() == Timing(print, *expected)


@pytest.mark.parametrize("text", ["sort=size", "by-shape=on", "by_shape=1"])
def test_what_is_no_setting_is_refused_in_one_line(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HPML_TIMING", text)
    with raises(
        TimingError, object="HPML_TIMING", expected=("sort=", "by-shape="), received=text
    ) as caught:
        timing_from_environment()
    assert "\n" not in str(caught.value)


def test_a_run_without_shapes_has_no_rows_by_shape() -> None:
    with raises(TimingError, object="by_shape()", expected="by_shape=True", received="without"):
        run_of().by_shape()


def test_an_unknown_order_is_refused() -> None:
    with raises(TimingError, object="sort of f", expected="time, name", received="'size'"):
        check_sort("f", "size")
