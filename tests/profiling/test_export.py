"""Profiles and records in the formats of other viewers hold what the page shows."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import torch
from torch import nn

from hpml.profiling import (
    ProfilingError,
    operator_timing,
    profile,
    read_profile,
    sample,
    simulate_launches,
)
from hpml.profiling.call_tree import CallTree
from hpml.profiling.export import collapsed, speedscope
from hpml.symbolic import Input, SymbolicModel
from tests.parts import raises
from tests.profiling.trace_format import read_trace

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "speedscope.json").read_text("utf-8"))

TREE = CallTree(
    "main",
    "a.py:1",
    0.25,
    (
        CallTree("left; 7", "a.py:5", 0.0, (CallTree("deep", "b.py:1", 1.5),)),
        CallTree("deep", "b.py:1", 0.5),
        CallTree("sum", "", 0.125),
    ),
)


def own_times(content: dict[str, Any]) -> Counter[tuple[str, ...]]:
    """Return the seconds of each call path of a speedscope file, as its names."""
    frames = [frame["name"] for frame in content["shared"]["frames"]]
    (found,) = content["profiles"]
    paths: Counter[tuple[str, ...]] = Counter()
    for stack, weight in zip(found["samples"], found["weights"], strict=True):
        paths[tuple(frames[number] for number in stack)] += weight
    return paths


def test_a_speedscope_file_fits_its_schema_and_has_each_call_path_with_its_own_time() -> None:
    content = json.loads(speedscope({"a run": TREE}))
    jsonschema.Draft7Validator(SCHEMA).validate(content)
    assert own_times(content) == {
        ("main",): 0.25,
        ("main", "left; 7", "deep"): 1.5,
        ("main", "deep"): 0.5,
        ("main", "sum"): 0.125,
    }
    assert content["profiles"][0]["endValue"] == TREE.total
    assert {"name": "deep", "file": "b.py", "line": 1} in content["shared"]["frames"]
    assert len(content["shared"]["frames"]) == 4  # one frame for both paths to `deep`


def test_the_schema_refuses_a_damaged_file() -> None:
    content = json.loads(speedscope({"a run": TREE}))
    content["profiles"][0]["unit"] = "fortnights"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(SCHEMA).validate(content)


def test_collapsed_stacks_are_lines_of_frames_and_whole_nanoseconds() -> None:
    assert collapsed(TREE).splitlines() == [
        "main (a.py:1) 250000000",
        "main (a.py:1);left: 7 (a.py:5);deep (b.py:1) 1500000000",
        "main (a.py:1);deep (b.py:1) 500000000",
        "main (a.py:1);sum 125000000",
    ]


def leaf(n: int) -> int:
    return sum(range(n))


def branch(n: int) -> int:
    return leaf(n) + leaf(n)


def test_a_profile_is_saved_in_the_format_that_its_name_says(tmp_path: Path) -> None:
    found = profile(branch, 100_000)
    content = json.loads(found.save(tmp_path / "run.speedscope.json").read_text("utf-8"))
    jsonschema.Draft7Validator(SCHEMA).validate(content)
    assert sum(own_times(content).values()) == pytest.approx(found.tree.total)
    assert any(
        path[-3:] == ("branch", "leaf", "sum") for path in map(without_module, own_times(content))
    )
    lines = found.save(tmp_path / "run.folded").read_text("utf-8").splitlines()
    nanoseconds = sum(int(line.rpartition(" ")[2]) for line in lines)
    assert nanoseconds == pytest.approx(1e9 * found.tree.total, rel=1e-3)
    assert read_profile(found.save(tmp_path / "run.prof")) == found


def without_module(path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.removeprefix("builtins.") for name in path)


def test_samples_are_saved_with_the_seconds_of_their_run(tmp_path: Path) -> None:
    found = sample(branch, 3_000_000)
    content = json.loads(found.save(tmp_path / "run.json").read_text("utf-8"))
    jsonschema.Draft7Validator(SCHEMA).validate(content)
    assert sum(own_times(content).values()) == pytest.approx(found.seconds)
    with raises(ProfilingError, object="file name of samples", received="run.prof"):
        found.save(tmp_path / "run.prof")


def test_operator_times_become_spans_inside_their_run(tmp_path: Path) -> None:
    x = Input(shape=(4,))
    model = SymbolicModel(x, nn.ReLU()(nn.Linear(4, 4)(x)), execution="codegen")
    with operator_timing(model, by_shape=True) as timing:
        with raises_before_a_run():
            timing.save(tmp_path / "trace.json")
        for _ in range(2):
            model(torch.ones(3, 4))
    events = read_trace(timing.save(tmp_path / "trace.json"))
    runs = [event for event in events if event["cat"] == "run"]
    assert [event["dur"] for event in runs] == pytest.approx([r.total / 1e3 for r in timing.runs])
    for label, nanoseconds in timing.last.by_operator.items():
        inside = [e for e in events if e["name"] == label and e["ts"] >= runs[1]["ts"]]
        assert sum(event["dur"] for event in inside) == pytest.approx(nanoseconds / 1e3, abs=1e-3)
    linear = next(event for event in events if event["name"] == "Linear")
    assert linear["args"]["shapes"] == [[3, 4]]
    assert linear["args"]["node"]


def raises_before_a_run() -> Any:
    return pytest.raises(ProfilingError)


@pytest.mark.parametrize("recorded", [False, True])
def test_a_timeline_has_a_row_of_launches_and_one_of_kernels(
    tmp_path: Path, recorded: bool
) -> None:
    line = simulate_launches(10, [4, 25, 4], recorded=recorded)
    events = read_trace(line.save(tmp_path / "trace.json", unit="ms"))
    for category, thread, spans in (("launch", 1, line.launches), ("kernel", 2, line.kernels)):
        found = [e for e in events if e["ph"] == "X" and e["cat"] == category]
        assert [(e["ts"], e["ts"] + e["dur"]) for e in found] == [
            (1e3 * start, 1e3 * end) for start, end in spans
        ]
        assert {e["tid"] for e in found} == {thread}
    arrows = [event for event in events if event["ph"] == "s"]
    assert len(arrows) == len(line.launches)


def test_another_file_name_or_unit_is_refused(tmp_path: Path) -> None:
    line = simulate_launches(10, [4])
    with raises(ProfilingError, object="file name of a timeline", received="trace.prof"):
        line.save(tmp_path / "trace.prof")
    with raises(ProfilingError, object="unit of a timeline", received="fortnights"):
        line.save(tmp_path / "trace.json", unit="fortnights")
    assert list(tmp_path.iterdir()) == []
