"""What `torch.profiler` records, as a table, a time line and a file."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
import torch

from hpml.profiling import ProfilingError, trace


def learn() -> float:
    model = torch.nn.Sequential(torch.nn.Linear(32, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
    loss = model(torch.ones(8, 32)).square().sum()
    loss.backward()  # type: ignore[no-untyped-call]
    return loss.item()


def test_the_table_names_operators_and_adds_up() -> None:
    found = trace(learn)
    assert isinstance(found.result, float)
    table = found.table(limit=None)
    calls = dict(zip(table.column("operator"), table.column("calls"), strict=True))
    assert calls["aten::linear"] == 2
    assert calls["aten::relu"] == 1
    assert sum(float(str(share)) for share in table.column("share")) == pytest.approx(1)
    own = [float(str(value)) for value in table.column("own")]
    assert own == sorted(own, reverse=True)
    assert min(own) > -1e-6


def test_the_saved_file_is_a_chrome_trace(tmp_path: Path) -> None:
    found = trace(learn)
    written = json.loads(found.save(tmp_path / "trace.json").read_text())
    names = {event.get("name") for event in written["traceEvents"]}
    assert {"aten::linear", "aten::relu"} <= names


def test_the_time_line_shows_a_part() -> None:
    found = trace(learn)
    page = found.timeline()
    assert page.png is not None
    assert f"{len(found.events)} operators" in page.plain
    end = max(event.start + event.seconds for event in found.events)
    with pytest.raises(ProfilingError):
        found.timeline(start=2 * end)


def test_what_cannot_be_traced_is_refused() -> None:
    with pytest.raises(ProfilingError):
        trace(3)  # type: ignore[arg-type]
    with pytest.raises(ProfilingError):
        trace(sorted, [3, 1])
    with pytest.raises(ProfilingError):
        trace(lambda: trace(learn))
    with pytest.raises(ZeroDivisionError):
        trace(lambda: 1 // 0)
    assert not torch.autograd._profiler_enabled()  # type: ignore[attr-defined]


def test_operators_of_other_threads_are_said_to_be_missing() -> None:
    def run() -> None:
        thread = threading.Thread(target=lambda: torch.ones(4).exp())
        thread.start()
        thread.join()
        torch.ones(4).mul(2)

    table = trace(run).table()
    assert "aten::exp" not in table.column("operator")
    assert "other Python threads" in str(table)


def test_a_trace_reads_as_text_and_makes_no_folder(tmp_path: Path) -> None:
    found = trace(torch.relu, torch.zeros(4))
    assert "aten::relu" in str(found)
    with pytest.raises(FileNotFoundError):
        found.save(tmp_path / "none" / "trace.json")
    assert not (tmp_path / "none").exists()
