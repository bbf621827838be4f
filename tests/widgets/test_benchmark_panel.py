"""The benchmark panel without a browser: what it takes, and what it keeps however a run ends."""

from __future__ import annotations

import io
import json
import re
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from hpml.benchmark import Measurement
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.record import Case, read_cases
from hpml.widgets import WidgetError, benchmark_panel
from hpml.widgets.benchmark_panel.page import as_text, draw, page
from hpml.widgets.benchmark_panel.state import BenchmarkPanel, latest
from hpml.widgets.benchmark_panel.worker import RemoteControl

if TYPE_CHECKING:
    from pathlib import Path

FAST = {"min_sample_time": 1e-5}
MANY = 10**6


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path / "results"))
    return tmp_path / "results"


def case(size: int, rounds: int = 8, asked: int = 8) -> Case:
    measured = [
        Measurement(name, tuple(size * (base + 1e-8 * n) for n in range(rounds)), number=100)
        for name, base in (("handwritten", 4e-6), ("inlined", 2e-6))
    ]
    comparison = Comparison(tuple(measured), "handwritten", asked)
    return Case("deep-linear", {"layers": size, "batch": 4}, comparison)


def panel_of(**arguments: Any) -> BenchmarkPanel:
    return BenchmarkPanel("deep-linear", **{"sizes": [2, 3], "options": FAST, **arguments})


def finish(panel: BenchmarkPanel) -> list[str]:
    """Take in all messages; return the status after each."""
    run = panel.run
    assert run is not None
    seen = []
    for message in run:
        panel.take(message)
        seen.append(panel.status)
        if message.kind == "case":
            run.go()
    return seen


# --- running --------------------------------------------------------------------------------------


def test_a_run_measures_and_records_each_case_and_leaves_earlier_ones_in_the_picture(
    results: Path,
) -> None:
    panel = panel_of(cases=[case(5), case(1000)])
    assert panel.status == "Measured before: layers 5 (8 rounds), 1,000 (8 rounds)."
    panel.start(["codegen", "lazy"], [3, 2], rounds=7)
    assert "0 of 2 sizes are done" in panel.standing
    assert [c.parameters["layers"] for c in panel.cases] == [5, 1000]
    seen = finish(panel)
    assert "layers 2 (case 1 of 2): building, comparing results, warming up." in seen
    assert panel.status.startswith("Done: layers 2 (7 rounds), 3 (7 rounds). Recorded in results/")
    assert "From earlier runs: layers 5 (8 rounds), 1,000 (8 rounds)." in panel.status
    assert [c.parameters["layers"] for c in panel.cases] == [2, 3, 5, 1000]
    measured = panel.cases[:2]
    assert [c.comparison.names for c in measured] == [("handwritten", "lazy", "codegen")] * 2
    (record,) = results.iterdir()
    assert read_cases(record).cases == measured
    assert (panel.run, panel.fraction) == (None, 1.0)
    places = {tuple(line.get_xdata()) for line in draw(panel).axes[0].lines}
    assert places >= {(2, 3, 5, 1000), (5, 1000), (2, 3)}


def test_cancelling_keeps_finished_cases_and_the_rounds_of_the_one_in_flight() -> None:
    panel = panel_of()
    run = panel.start([], [2, 3], rounds=MANY)
    for message in run:
        panel.take(message)
        if message.kind == "case":
            run.go()
        if message.kind == "round" and message.rounds and not panel.stopping:
            panel.cancel()
            assert panel.status.startswith("Stopping after the round in flight")
    (kept,) = panel.cases
    assert 1 <= kept.comparison.rounds < MANY
    assert panel.status.startswith(f"Cancelled. Kept: layers 2 ({kept.comparison.rounds:,} of")
    assert read_cases(run.order.out).cases == (kept,)


def test_cancelling_between_two_cases_keeps_the_first() -> None:
    panel = panel_of()
    run = panel.start([], [2, 3], rounds=7)
    for message in run:
        panel.take(message)
        if message.kind == "case" and message.case == 1:
            panel.cancel()
        elif message.kind == "case":
            run.go()
    assert [case.comparison.complete for case in panel.cases] == [True]
    assert "Kept: layers 2 (7 rounds)." in panel.status


def test_cancelling_before_the_first_round_says_that_nothing_was_kept() -> None:
    panel = panel_of()
    panel.start([], [2], rounds=7)
    panel.cancel()
    finish(panel)
    assert panel.cases == ()
    assert panel.status == "Cancelled. Kept: nothing, no round was complete."


def test_cancelling_twice_ends_it_at_once() -> None:
    panel = panel_of()
    panel.start([], [2], rounds=7)
    panel.cancel()
    panel.cancel()
    finish(panel)
    assert panel.status.startswith("Cancelled. Kept: nothing")


def test_a_process_that_dies_is_reported_and_its_cases_are_kept() -> None:
    panel = panel_of()
    run = panel.start([], [2, 3], rounds=7)
    for message in run:
        panel.take(message)
        if message.kind == "case" and message.case == 1:
            run._child.kill()
        elif message.kind == "case":
            run.go()
    assert panel.status.startswith("Failed: its process ended with exit code -9.")
    assert "Kept: layers 2 (7 rounds)." in panel.status
    assert len(panel.cases) == 1


def test_what_the_suite_refuses_is_said() -> None:
    panel = panel_of(options={"device": "no such device"})
    panel.start([], [2], rounds=7)
    finish(panel)
    assert panel.status.startswith("Failed: ")
    assert "no such device" in panel.status


def test_another_run_ends_the_one_that_is_going_on() -> None:
    first, second = panel_of(), panel_of()
    first.start([], [2], rounds=MANY)
    second.start([], [2], rounds=7)
    finish(first)
    assert first.status.startswith("Cancelled.")
    finish(second)
    assert second.status.startswith("Done: layers 2 (7 rounds).")


def test_no_second_run_begins_while_one_is_going_on() -> None:
    panel = panel_of()
    run = panel.start([], [2], rounds=7)
    with pytest.raises(WidgetError, match="A run is going on"):
        panel.start([], [2], rounds=7)
    run.kill()
    finish(panel)
    with pytest.raises(WidgetError, match="No run is going on"):
        panel.cancel()


def test_of_a_contender_measured_twice_at_a_size_the_later_counts() -> None:
    older, newer = case(2, rounds=8), case(2, rounds=9, asked=9)
    base, inlined = newer.comparison.measurements
    lazy = Measurement("lazy", inlined.samples, number=1)
    newer = replace(newer, comparison=replace(newer.comparison, measurements=(base, lazy)))
    kept = latest([older, newer])
    assert [c.comparison.names for c in kept] == [
        ("handwritten", "inlined"), ("handwritten", "lazy"),
    ]  # fmt: skip
    assert latest([newer, older, older]) == (replace_names(newer, "lazy"), older)
    shown = draw(panel_of(cases=[older, newer]))
    assert [line.get_xdata()[0] for line in shown.axes[0].lines] == [2, 2, 2]


def replace_names(case: Case, *names: str) -> Case:
    left = tuple(m for m in case.comparison if m.name in ("handwritten", *names))
    return replace(case, comparison=replace(case.comparison, measurements=left))


def test_cases_with_another_baseline_are_not_mixed_into_the_ratios() -> None:
    other = replace(case(3), comparison=replace(case(3).comparison, baseline="inlined"))
    assert latest([other, case(2)]) == (case(2),)


# --- the control -----------------------------------------------------------------------------


def said(messages: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in messages.getvalue().splitlines()]


def test_it_waits_before_each_case_until_it_is_told_to_go() -> None:
    messages = io.StringIO()
    control = RemoteControl(rounds=2, messages=messages)
    waiting = threading.Thread(target=control.stop)
    waiting.start()
    waiting.join(0.05)
    assert waiting.is_alive()
    control.listen(['"go"\n'])
    waiting.join()
    assert said(messages) == [{"kind": "case", "case": 0}]


def test_the_end_of_the_pipe_stops_it() -> None:
    control = RemoteControl(rounds=2, messages=io.StringIO())
    control.listen([])
    assert control.stopped
    assert control.stop()


def test_it_tells_cases_and_rounds_apart() -> None:
    messages = io.StringIO()
    control = RemoteControl(rounds=1, messages=messages)
    words = threading.Thread(target=control.listen, args=(['"go"\n', '"go"\n', '"stop"\n'],))
    words.start()
    words.join()
    control = RemoteControl(rounds=1, messages=messages)
    control._go.release(2)
    assert not any(control.stop() for _ in range(4))
    assert [(m["kind"], m["case"]) for m in said(messages)] == [
        ("case", 0), ("round", 0), ("case", 1), ("round", 1),
    ]  # fmt: skip


# --- the page -------------------------------------------------------------------------------------


def test_the_first_state_shows_what_was_measured_before() -> None:
    panel = panel_of(cases=[case(2), case(3)])
    assert panel.status == "Measured before: layers 2 (8 rounds), 3 (8 rounds)."
    shown = page(panel)
    assert shown.png is not None
    assert "data:image/png;base64" in shown.html
    assert "inlined" in shown.plain
    assert not re.search(r"""(src|href)=["'](?!data:)|https?:|url\(|<script""", shown.html)


def test_bands_grow_case_by_case() -> None:
    few, more = draw(panel_of(cases=[case(2)])), draw(panel_of(cases=[case(2), case(3)]))
    assert [len(fig.axes[0].lines[0].get_xdata()) for fig in (few, more)] != [0, 0]
    assert max(len(line.get_xdata()) for line in few.axes[0].lines) == 1
    assert max(len(line.get_xdata()) for line in more.axes[0].lines) == 2
    assert more.axes[0].collections, "no band"


def test_the_axes_have_room_for_the_sizes_to_come_and_show_what_is_there() -> None:
    panel = panel_of(cases=[case(2)])
    panel.start([], [2, 3], rounds=7)
    panel.cases = (case(2),)
    for ax in draw(panel).axes:
        low, high = ax.get_xlim()
        assert low < 2 < 3 < high
        assert list(ax.get_xticks()) == [2, 3]
        bottom, top = ax.get_ylim()
        drawn = [line for line in ax.lines if len(line.get_xdata()) == 1]
        assert drawn
        assert all(bottom < y < top for line in drawn for y in line.get_ydata())
    assert panel.run is not None
    panel.run.kill()
    finish(panel)


def test_without_a_notebook_the_first_state_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    benchmark_panel("deep-linear", cases=[case(2)])
    printed = capsys.readouterr().out
    assert printed.startswith("Benchmark deep-linear: Measured before: layers 2 (8 rounds).")
    assert "handwritten" in printed


@pytest.mark.parametrize("suite", ["deep-linear", "toy-resnet"])
def test_every_suite_has_a_panel(suite: str) -> None:
    panel = BenchmarkPanel(suite)
    assert "ordered" in panel.contenders
    assert panel.sizes == tuple(sorted(panel.sizes))
    assert panel.parameter in ("layers", "resolutions", "nodes")


# --- what it takes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"sizes": []}, "sizes: expected one or more whole numbers"),
        ({"sizes": [0]}, "sizes: expected"),
        ({"sizes": [2.5]}, "sizes: expected"),
        ({"sizes": "250"}, "sizes: expected"),
        ({"contenders": ["magic"]}, "contenders: expected one or more of handwritten.*got magic"),
        ({"contenders": []}, "contenders: expected"),
        ({"contenders": "lazy"}, "contenders: expected"),
        ({"options": {"magic": 1}}, "options of the suite deep-linear.*got magic"),
        ({"options": {"out": "x"}}, "options of the suite deep-linear.*got out"),
        ({"cases": ["case"]}, "cases: expected"),
        ({"cases": [Case("other", {"n": 1}, case(2).comparison)]}, "cases: expected"),
    ],
)
def test_bad_arguments_are_refused(change: dict[str, Any], match: str) -> None:
    with pytest.raises(WidgetError, match=match):
        panel_of(**change)


def test_an_unknown_suite_is_refused() -> None:
    with pytest.raises(WidgetError, match=r"name of a suite, deep-linear.*got 'magic'"):
        benchmark_panel("magic")


@pytest.mark.parametrize(
    ("contenders", "sizes", "rounds", "match"),
    [
        (["lazy"], [], 7, "sizes: expected one or more of 2, 3, got none"),
        (["lazy"], [5], 7, "sizes: expected one or more of 2, 3, got 5"),
        (["magic"], [2], 7, "contenders: expected"),
        (["lazy"], [2], 0, "rounds: expected"),
    ],
)
def test_choices_that_are_none_are_refused(
    contenders: list[str], sizes: list[int], rounds: int, match: str
) -> None:
    panel = panel_of()
    with pytest.raises(WidgetError, match=match):
        panel.start(contenders, sizes, rounds)
    assert panel.run is None


def test_a_contender_that_only_runs_on_request_can_be_offered() -> None:
    panel = panel_of(contenders=["handwritten", "torch.compile"])
    assert panel.contenders == ("handwritten", "torch.compile")


def test_the_page_says_how_many_sizes_are_done_while_a_run_goes_on() -> None:
    panel = panel_of()
    run = panel.start([], [2, 3], rounds=7)
    assert "Measuring; 0 of 2 sizes are done." in page(panel).html
    run.kill()
    finish(panel)
    assert "Cancelled. Kept: nothing" in as_text(panel)
