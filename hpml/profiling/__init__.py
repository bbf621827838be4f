"""Profilers of time and memory that return plain values, with tables and pictures.

`profile` shows where a function spends its time, call by call:

>>> from hpml.profiling import profile
>>> profile(sorted, [3, 1, 2]).table(search="sorted").column("filename:lineno(function)")
('{built-in method builtins.sorted}',)

- Time: `sample` records the stack at random times, from another process. `time_lines` times the
  lines of one function. `operator_timing` times the operators of a symbolic model, and
  `operator_report` makes a slow one reproducible. `profile_torch` runs `torch.profiler`, and says
  what to try.
- Before and after: `profile_difference` shows where two profiles differ. The `save` of a profile,
  of samples and of operator times writes a file for speedscope, ``flamegraph.pl`` or Perfetto.
- Memory: `memory_lines` shows the resident memory line by line, `allocation_lines` Python's own
  allocations, `saved_tensors` the tensors that autograd keeps for the backward pass, and
  `memory_snapshot` each block of tensors, of a GPU or a CPU.
- Counts: `profile_calls` counts Python's calls, `instructions_outside` its instructions, `work_of`
  PyTorch's operators. `autograd_graph` lists the steps that autograd recorded.
- Launches: `simulate_launches` models kernels that a CPU launches one by one; `fit_launches`
  estimates the cost of a launch from measured times.
"""

from __future__ import annotations

from hpml.profiling.autograd import AutogradNode, autograd_graph
from hpml.profiling.calls import instructions_outside, profile_calls
from hpml.profiling.difference import ProfileDifference, profile_difference
from hpml.profiling.errors import ProfilingError
from hpml.profiling.functions import FunctionProfile, profile, read_profile
from hpml.profiling.launches import (
    LaunchFit,
    Timeline,
    draw_timelines,
    fit_launches,
    simulate_launches,
)
from hpml.profiling.line_times import LineTimes, time_lines
from hpml.profiling.memory.lines import (
    LineMemory,
    allocation_lines,
    memory_lines,
    memory_over_time,
)
from hpml.profiling.memory.saved_tensors import saved_tensors
from hpml.profiling.memory.snapshot import MemorySnapshot, memory_snapshot
from hpml.profiling.operators.report import operator_report
from hpml.profiling.operators.timing import operator_timing
from hpml.profiling.operators.torch_profile import TorchProfile, profile_torch
from hpml.profiling.operators.work import Work, work_of
from hpml.profiling.sampling import Samples, sample

__all__ = [
    "AutogradNode",
    "FunctionProfile",
    "LaunchFit",
    "LineMemory",
    "LineTimes",
    "MemorySnapshot",
    "ProfileDifference",
    "ProfilingError",
    "Samples",
    "Timeline",
    "TorchProfile",
    "Work",
    "allocation_lines",
    "autograd_graph",
    "draw_timelines",
    "fit_launches",
    "instructions_outside",
    "memory_lines",
    "memory_over_time",
    "memory_snapshot",
    "operator_report",
    "operator_timing",
    "profile",
    "profile_calls",
    "profile_difference",
    "profile_torch",
    "read_profile",
    "sample",
    "saved_tensors",
    "simulate_launches",
    "time_lines",
    "work_of",
]
