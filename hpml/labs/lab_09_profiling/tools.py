"""What can be profiled, with what, and which of it this machine has."""

from __future__ import annotations

import shutil
from pathlib import Path

from hpml.base.environment import installed_version
from hpml.base.tables import Table

_PROGRAMS = {
    "operating system, memory loads": ("perf", "perf record"),
    "memory operations": ("valgrind", "valgrind --tool=massif"),
    "calls of the system": ("strace", "strace -c"),
    "parallel programs": ("mpirun", "an MPI profiler, as mpiP"),
    "a GPU": ("nsys", "nsys profile"),
}
_PACKAGES = {
    "Python functions, sampled": ("pyinstrument", "hpml.profiling.sample"),
    "memory, line by line": ("memory_profiler", "hpml.profiling.memory_lines (lab 03)"),
    "libraries: PyTorch's operators": ("torch", "torch.profiler, hpml.profiling.operator_timing"),
    "a picture of a saved profile": ("snakeviz", "hpml profile FILE"),
}


def tools() -> Table:
    """Return what can be profiled, what with, and whether it was found here."""
    rows: list[list[object]] = [["hardware", "performance counters, read by perf", _counters()]]
    for what, (program, use) in _PROGRAMS.items():
        found = shutil.which(program)
        rows.append([what, use, f"yes, {program}" if found else f"no {program}"])
    rows.append(["Python functions, each call", "cProfile, hpml.profiling.profile", "yes"])
    for what, (package, use) in _PACKAGES.items():
        version = installed_version(package)
        rows.append([what, use, f"yes, {package} {version}" if version else f"no {package}"])
    return Table(["what", "with what", "on this machine"], rows)


def _counters() -> str:
    """Return whether the kernel lets a user read the processor's counters."""
    setting = Path("/proc/sys/kernel/perf_event_paranoid")
    if not setting.exists():
        return "no, not on this system"
    level = setting.read_text(encoding="ascii").strip()
    exist = Path("/sys/bus/event_source/devices/cpu").exists()
    return f"{'yes' if exist else 'no, hidden by a virtual machine'} (perf_event_paranoid {level})"
