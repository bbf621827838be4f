"""The benchmark panel without a browser: what it takes, and what it keeps however a run ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from hpml.benchmark.record import read_cases
from hpml.widgets import WidgetError
from hpml.widgets.benchmark_panel.panel import BenchmarkPanel

if TYPE_CHECKING:
    from pathlib import Path

FAST = {"min_sample_time": 1e-5}
MANY = 10**6
PATIENCE = 120.0


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path / "results"))
    return tmp_path / "results"


def panel_of(**arguments: Any) -> BenchmarkPanel:
    return BenchmarkPanel("deep-linear", **{"sizes": [2, 3], "options": FAST, **arguments})


def wait(panel: BenchmarkPanel) -> None:
    assert panel.poll(PATIENCE)
    assert not panel.running


def test_a_run_records_each_case_and_leaves_earlier_ones_in_the_picture(results: Path) -> None:
    panel = panel_of()
    panel.start(["lazy"], [2], rounds=7)
    wait(panel)
    (first,) = results.iterdir()
    panel.start(["codegen", "lazy"], [3], rounds=7)
    assert "Measuring; 0 of 1 sizes are done." in panel.page().html
    wait(panel)
    assert panel.status.startswith("Done: layers 3 (7 rounds). Recorded in results/")
    assert [c.parameters["layers"] for c in panel.cases] == [2, 3]
    assert panel.cases[1].comparison.names == ("handwritten", "lazy", "codegen")
    (record,) = set(results.iterdir()) - {first}
    assert read_cases(record).cases == panel.cases[1:]
    assert panel.fraction == 1.0
    shown = panel.page()
    assert shown.png is not None
    assert not re.search(r"""(src|href)=["'](?!data:)|https?:|url\(|<script""", shown.html)


def test_stopping_keeps_the_rounds_of_the_case_in_flight() -> None:
    panel = panel_of()
    panel.start([], [2, 3], rounds=MANY)
    panel.poll(5.0)
    panel.stop()
    wait(panel)
    if panel.cases:  # it may still have been importing torch
        (kept,) = panel.cases
        assert 1 <= kept.comparison.rounds < MANY
    assert panel.status.startswith("Stopped. Kept: ")


def test_stopping_twice_ends_it_at_once() -> None:
    panel = panel_of()
    panel.start([], [2], rounds=MANY)
    panel.stop()
    panel.stop()
    wait(panel)
    assert panel.status == "Stopped. Kept: nothing, no round was complete."


def test_a_process_that_dies_is_reported() -> None:
    panel = panel_of()
    panel.start([], [2, 3], rounds=MANY)
    assert panel._child is not None
    panel._child.kill()
    wait(panel)
    assert panel.status.startswith("Failed: its process ended with exit code -9.")


def test_a_run_of_another_panel_ends_the_first() -> None:
    first, second = panel_of(), panel_of()
    first.start([], [2], rounds=MANY)
    second.start([], [2], rounds=7)
    wait(first)
    assert first.status.startswith("Failed: ")
    wait(second)
    assert second.status.startswith("Done: layers 2 (7 rounds).")


@pytest.mark.parametrize("suite", ["deep-linear", "toy-resnet", "launch"])
def test_suites_have_a_panel(suite: str) -> None:
    panel = BenchmarkPanel(suite)
    assert panel.contenders
    assert panel.sizes == tuple(sorted(panel.sizes))


@pytest.mark.parametrize(
    "change",
    [
        {"sizes": []},
        {"sizes": [0]},
        {"sizes": [2.5]},
        {"sizes": "250"},
        {"contenders": ["magic"]},
        {"contenders": []},
        {"contenders": "lazy"},
        {"options": {"magic": 1}},
        {"options": {"out": "x"}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_bad_arguments_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(WidgetError):
        panel_of(**change)


@pytest.mark.parametrize(
    ("contenders", "sizes", "rounds"),
    [(["lazy"], [], 7), (["lazy"], [5], 7), (["magic"], [2], 7)],
)
def test_choices_that_do_not_exist_are_refused(
    contenders: list[str], sizes: list[int], rounds: int
) -> None:
    panel = panel_of()
    with pytest.raises(WidgetError):
        panel.start(contenders, sizes, rounds)
    assert not panel.running
