"""torch.profiler in one call: what is computed from a trace, what is advised, what is saved."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import torch
from torch.profiler import record_function

from hpml.profiling import ProfilingError, profile_torch
from hpml.profiling.operators.torch_advice import what_to_try
from hpml.profiling.operators.torch_trace import Trace, read_trace
from tests.parts import raises

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "speedscope.json").read_text("utf-8"))


def event(name: str, start: float, end: float, category: str = "cpu_op", **more: Any) -> Any:
    tid = more.pop("tid", 1)
    whole = {"ph": "X", "name": name, "cat": category, "ts": start, "dur": end - start}
    return {**whole, "pid": 1, "tid": tid, "args": more}


def step(start: float, end: float, number: int = 1) -> Any:
    return event(f"ProfilerStep#{number}", start, end, "user_annotation")


def memory(at: float, size: int, total: int) -> Any:
    args = {"Bytes": size, "Total Allocated": total, "Device Type": 0, "Device Id": -1}
    return {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1,
            "ts": at, "args": args}  # fmt: skip


def trace(*events: Any) -> Trace:
    return read_trace({"traceEvents": [{"ph": "M", "name": "process_name"}, *events]})


def test_own_times_leave_out_the_operators_inside_and_threads_do_not_mix() -> None:
    found = trace(
        step(0, 100),
        event("aten::linear", 10, 60),
        event("aten::addmm", 20, 50),
        event("aten::linear", 15, 45, tid=2),
        event("aten::late", 150, 160),  # after the last step
    )
    linear, addmm = found.operators["aten::linear"], found.operators["aten::addmm"]
    assert (linear.calls, addmm.calls) == (2, 1)
    assert linear.total_cpu == pytest.approx(80e-6)
    assert linear.self_cpu == pytest.approx(50e-6)
    assert addmm.self_cpu == pytest.approx(30e-6)
    assert found.steps == pytest.approx((100e-6,))
    assert found.inside == pytest.approx(50e-6)
    assert "aten::late" not in found.operators


def test_parts_are_apart_and_may_begin_inside_a_call_that_ends_before_them() -> None:
    found = trace(
        step(0, 100),
        event("a.py(1): step", 0, 99, "python_function"),
        event("profiler.py(2): __enter__", 10, 15, "python_function"),
        event("my part", 12, 60, "user_annotation"),
        event("aten::mm", 20, 50),
        event("profiler.py(3): __exit__", 58, 62, "python_function"),
    )
    assert list(found.parts) == ["my part"]
    assert found.parts["my part"].total_cpu == pytest.approx(48e-6)
    assert found.tree is not None
    frames = {frame.name: frame for _, frame in found.tree.walk()}
    assert [child.name for child in frames["my part"].children] == ["aten::mm"]
    assert {child.name for child in frames["step"].children} == {"__enter__", "my part", "__exit__"}
    assert frames["step"].place == "a.py:1"
    assert found.tree.total == pytest.approx(100e-6, rel=0.1)


def test_memory_counts_for_the_operator_that_allocates_and_the_peak_above_the_beginning() -> None:
    found = trace(
        step(0, 100),
        event("aten::mul", 10, 40),
        event("aten::empty", 12, 20),
        memory(15, 1000, 5000),
        memory(30, 500, 5500),
        memory(45, -1000, 4500),
        memory(150, 9000, 90_000),
    )
    assert found.operators["aten::empty"].allocated == 1000
    assert found.operators["aten::mul"].allocated == 500
    assert found.peak == 1500


def test_kernels_count_for_the_operator_that_launched_them() -> None:
    found = trace(
        step(0, 100),
        event("aten::mm", 10, 20, **{"External id": 7}),
        event("sgemm", 15, 65, "kernel", tid=9, **{"External id": 7}),
    )
    assert found.operators["aten::mm"].device == pytest.approx(50e-6)
    assert found.kernels["sgemm"].device == pytest.approx(50e-6)


def small(count: int, length: float, name: str = "aten::add") -> list[Any]:
    return [event(name, k * length, (k + 1) * length) for k in range(count)]


@pytest.mark.parametrize(
    ("events", "seen", "tried"),
    [
        ([step(0, 1000), event("aten::add", 0, 100)], "90% of a step no operator", "time_lines"),
        ([step(0, 1000), *small(100, 9.9)], "100 operators", "torch.compile"),
        ([step(0, 1000), event("aten::mm", 0, 990)], "matrix products", "bfloat16"),
        ([step(0, 1000), event("aten::clone", 0, 300), event("aten::exp", 300, 990)],
         "1 copies take 30%", "memory format"),
        ([step(0, 1000), event("aten::exp", 0, 900), event("aten::_local_scalar_dense", 901, 902),
          event("aten::_local_scalar_dense", 903, 904)], "reads 2 single numbers", "together"),
        ([step(0, 1000), event("enumerate(DataLoader)#_Iterator.__next__", 0,
          400, "user_annotation"), event("aten::exp", 400, 990)], "takes 40%", "num_workers"),
        ([step(0, 1000), event("aten::exp", 0, 900, **{"External id": 1}),
          event("k", 0, 200, "kernel", **{"External id": 1})], "GPU computes for 20%", "graphs"),
        ([step(0, 1000), event("aten::exp", 0, 980)], "aten::exp has the largest", "needed"),
        ([step(0, 1000)], "no operator runs", "profile"),
    ],
)  # fmt: skip
def test_the_table_ends_with_what_was_seen_and_what_to_try(
    events: list[Any], seen: str, tried: str
) -> None:
    said = what_to_try(trace(*events))
    assert any(seen in sentence and tried in sentence for sentence in said), said


def test_each_rule_is_silent_where_its_cause_is_absent() -> None:
    (only,) = what_to_try(trace(step(0, 1000), event("aten::exp", 0, 980)))
    assert "aten::exp" in only


def test_what_an_optimiser_reads_for_itself_is_no_read_of_the_program() -> None:
    layer, x = torch.nn.Linear(64, 64), torch.rand(128, 64)
    rule = torch.optim.AdamW(layer.parameters())

    def one_step(reads: int) -> None:
        loss = layer(x).sum()
        loss.backward()
        rule.step()
        for _ in range(reads):
            loss.item()

    for reads in (0, 3):
        found = profile_torch(lambda reads=reads: one_step(reads), steps=2)
        assert found.trace.operators["aten::_local_scalar_dense"].calls == 2 * (2 + reads)
        assert found.trace.reads == 2 * reads
        said = [each for each in what_to_try(found.trace) if "single numbers" in each]
        assert len(said) == (reads > 0)


def test_only_the_recorded_steps_count_and_parts_have_rows(tmp_path: Path) -> None:
    layer, x, calls = torch.nn.Linear(64, 64), torch.rand(128, 64), []

    def one_step() -> int:
        calls.append(1)
        with record_function("my forward"):
            y = layer(x)
        y.sum().backward()
        return len(calls)

    found = profile_torch(one_step, steps=3, warm_up=2)
    assert found.result == len(calls) == 6
    assert len(found.trace.steps) == 3
    assert found.trace.operators["aten::linear"].calls == 3
    rows = {row[0]: row for row in found.table.rows}
    assert rows["my forward"][1:3] == ("part", 1.0)
    assert found.trace.operators["aten::addmm"].allocated == 3 * 4 * 128 * 64
    assert found.trace.peak >= 4 * 128 * 64
    assert "Try: " in str(found).splitlines()[-1]
    content = json.loads(found.save(tmp_path / "trace.json").read_text("utf-8"))
    assert sum(e["name"] == "aten::linear" for e in content["traceEvents"]) == 3
    lines = found.save(tmp_path / "steps.folded").read_text("utf-8").splitlines()
    assert any(line.startswith("(recorded steps);my forward;aten::linear") for line in lines)
    with raises(ProfilingError, object="file name of a torch profile", received="x.prof"):
        found.save(tmp_path / "x.prof")


def test_stacks_add_pythons_functions_to_the_tree(tmp_path: Path) -> None:
    layer, x = torch.nn.Linear(512, 512), torch.rand(4096, 512)  # takes milliseconds

    def my_own_function() -> torch.Tensor:
        return layer(x)

    found = profile_torch(my_own_function, stacks=True)
    assert "my_own_function" not in found.trace.operators
    content = json.loads(found.save(tmp_path / "steps.speedscope.json").read_text("utf-8"))
    jsonschema.Draft7Validator(SCHEMA).validate(content)
    frames = [frame["name"] for frame in content["shared"]["frames"]]
    assert {"my_own_function", "aten::linear"} <= set(frames)
    stacks = [[frames[n] for n in stack] for stack in content["profiles"][0]["samples"]]
    assert any(
        "my_own_function" in stack and stack.index("my_own_function") < stack.index("aten::linear")
        for stack in stacks
        if "aten::linear" in stack
    )
    total = content["profiles"][0]["endValue"]
    assert total == pytest.approx(sum(found.trace.steps), rel=0.2)


def test_a_second_profiler_and_wrong_numbers_are_refused() -> None:
    assert "KINETO_LOG_LEVEL" not in os.environ
    for name, value in (("steps", 0), ("warm_up", 0), ("steps", 1.5), ("steps", True)):
        with raises(ProfilingError, object=f"{name} of profile_torch", received=repr(value)):
            profile_torch(lambda: None, **{name: value})  # type: ignore[arg-type]
    cpu = [torch.profiler.ProfilerActivity.CPU]
    with (
        torch.profiler.profile(activities=cpu, acc_events=True),
        raises(ProfilingError, object="profile_torch", expected="no other torch.profiler"),
    ):
        profile_torch(lambda: torch.ones(3))
    assert "KINETO_LOG_LEVEL" not in os.environ


def test_a_step_without_operators_has_no_tree() -> None:
    found = profile_torch(lambda: None)
    assert found.trace.operators == {}
    with raises(ProfilingError, object="call tree of a torch profile", received="none"):
        found.icicle()
