"""Where memory and time go, as plain values: records and tables first, pictures last.

`profile` shows where the time of a function goes, call by call:

>>> from hpml.profiling import profile
>>> profile(sorted, [3, 1, 2]).table(search="sorted").column("filename:lineno(function)")
('{built-in method builtins.sorted}',)

`sample` looks at the stack once in a while, and `operator_timing` gives a model's report after each
run. `operator_report` writes down a slow one so that others can reproduce it.

Memory line by line: `memory_lines` shows what the system gave the process, `allocation_lines` what
Python allocated. `saved_tensors` lists what autograd keeps for the backward pass.

`profile_calls` counts what Python calls, `instructions_outside` what it executes, `work_of` which
operators PyTorch executes, and `autograd_graph` walks what PyTorch records for the gradients.
`simulate` says when kernels run that a processor launches one by one; `fit_launches` finds the cost
of a launch in measured times.
"""

from __future__ import annotations

from hpml.profiling.autograd import AutogradNode, autograd_graph
from hpml.profiling.calls import CallCounts, instructions_outside, profile_calls
from hpml.profiling.errors import ProfilingError
from hpml.profiling.functions import FunctionProfile, profile, read_profile
from hpml.profiling.launches import (
    LaunchFit,
    Timeline,
    draw_timelines,
    fit_launches,
    simulate,
)
from hpml.profiling.memory.lines import (
    LineMemory,
    MemoryOverTime,
    allocation_lines,
    memory_lines,
    memory_over_time,
)
from hpml.profiling.memory.saved_tensors import SavedTensors, saved_tensors
from hpml.profiling.operators.report import OperatorReport, operator_report
from hpml.profiling.operators.timing import OperatorTiming, operator_timing
from hpml.profiling.operators.work import Work, work_of
from hpml.profiling.sampling import Samples, sample

__all__ = [
    "AutogradNode",
    "CallCounts",
    "FunctionProfile",
    "LaunchFit",
    "LineMemory",
    "MemoryOverTime",
    "OperatorReport",
    "OperatorTiming",
    "ProfilingError",
    "Samples",
    "SavedTensors",
    "Timeline",
    "Work",
    "allocation_lines",
    "autograd_graph",
    "draw_timelines",
    "fit_launches",
    "instructions_outside",
    "memory_lines",
    "memory_over_time",
    "operator_report",
    "operator_timing",
    "profile",
    "profile_calls",
    "read_profile",
    "sample",
    "saved_tensors",
    "simulate",
    "work_of",
]
