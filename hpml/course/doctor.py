"""Report what this machine has for the course, and what each missing part costs."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hpml.base import accelerator
from hpml.base.child_process import ChildError, ChildProcess, with_package
from hpml.base.environment import (
    cpu_model,
    fast_and_slow_cores,
    gpus,
    installed_version,
    memory_bytes,
    physical_cores,
)
from hpml.base.errors import describe
from hpml.base.optional import import_optional
from hpml.base.system import can_print, usable_cores
from hpml.base.tables import Shown, Table, format_bytes
from hpml.course import conditions
from hpml.course.files import PACKAGED, CourseFileError, course_folder
from hpml.course.packages import host, install_command, too_old
from hpml.jit.compilers import (
    find_compiler,
    find_cpp_compiler,
    why_no_compiler,
    why_not_inductor,
)

State = Literal["ok", "absent", "warning", "missing"]
"""``absent``: optional and not installed; ``warning``: may be a problem; ``missing``: required."""

_IMPORT_SECONDS = 120.0
_OLDEST_PYTHON, _NEWEST_PYTHON = (3, 11), (3, 14)
_MARKS: dict[State, str] = {"ok": "✓", "absent": "–", "warning": "!", "missing": "✗"}
_WORDS: dict[State, str] = {each: each for each in _MARKS}

# The package as pip names it, and what a student loses without it.
_REQUIRED = {
    "numpy": "nothing runs",
    "matplotlib": "no pictures",
    "ipykernel": "no notebook runs",
    "ipywidgets": "no answers typed into the page, no controls",
    "nbclient": "`hpml run` cannot execute a lab",
    "nbformat": "`hpml run` cannot execute a lab",
    "numba": "labs 04, 07, 08 and 13 stop where they compile",
    "memory_profiler": "no memory by line in labs 03 and 09",
    "psutil": "`hpml run` and `hpml train` do not start",
    "tqdm": "no progress bars",
}
OPTIONAL = {
    "jupyterlab": "`hpml lab` cannot open the course; hosted notebooks do not need it",
    "line_profiler": "lab 09 shows no time by line",
    "pyinstrument": "lab 09 compares one profiler less",
    "snakeviz": "lab 09 cannot open the saved profile in SnakeViz",
    "onnx": "lab 14 exports no model",
    "onnxscript": "lab 14 exports no model",
    "onnxruntime": "lab 14 has no rows for ONNX Runtime",
    "netron": "lab 14 cannot open a graph in Netron",
    "torchao": "lab 14 has no models in 8-bit integers",
    "tensorrt": "lab 14 has no row for TensorRT",
}
"""What a lab shows less without an optional package."""


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    name: str
    state: State
    value: str
    cost: str = ""


@dataclass(frozen=True)
class Report(Shown):
    """All findings, in order of importance."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing that the course requires is missing."""
        return all(finding.state != "missing" for finding in self.findings)

    @property
    def table(self) -> Table:
        """The findings as a table."""
        marks = _MARKS if can_print("".join(_MARKS.values())) else _WORDS
        rows = [
            (marks[found.state], found.name, found.value or "not found", found.cost)
            for found in self.findings
        ]
        missing = [found.name for found in self.findings if found.state == "missing"]
        verdict = (
            f"Missing: {', '.join(missing)}. `make .venv` installs what the course needs."
            if missing
            else "Everything the course requires is here."
        )
        return Table(("", "what", "found", "what it costs"), rows, caption=verdict)


def report() -> Report:
    """Inspect this machine; imports torch if it is installed.

    >>> any(finding.name == "Python" for finding in report().findings)
    True
    """
    findings = (
        _python(),
        *_torch(),
        _cpu(),
        _memory(),
        *conditions_of_measuring(),
        _gpu(),
        *_compilers(),
        *_host(),
        _course(),
        _sampler(),
        *_packages(_REQUIRED, "missing"),
        *_packages(OPTIONAL, "absent"),
    )
    return Report(findings)


def _course() -> Finding:
    try:
        folder = course_folder()
    except CourseFileError as error:
        return Finding("course folder", "warning", "", str(error))
    labs = f"labs: {len(list((folder / 'notebooks').glob('[0-9][0-9]_*.ipynb')))}"
    if folder == PACKAGED:
        labs += ", inside the installed package"
    return Finding("course folder", "ok", labs)


def _python() -> Finding:
    implementation = platform.python_implementation()
    value = f"{platform.python_version()} ({implementation})"
    tested = "tested with CPython 3.11 to 3.14"
    if sys.version_info < _OLDEST_PYTHON:
        return Finding("Python", "missing", value, f"the course needs 3.11 or newer; {tested}")
    if sys.version_info[:2] > _NEWEST_PYTHON or implementation != "CPython":
        cost = f"{tested}; lab 02 may not support its bytecode"
        return Finding("Python", "warning", value, cost)
    return Finding("Python", "ok", f"{value}; {tested}")


def _torch() -> tuple[Finding, ...]:
    try:
        import torch
    except Exception as error:  # noqa: BLE001 - an import may raise anything
        cost = f"most labs need it: {describe(str(error), 100)}"
        return (Finding("torch", "missing", installed_version("torch") or "", cost),)
    threads = torch.get_num_threads()
    vector = torch.backends.cpu.get_cpu_capability()
    return (
        Finding("torch", "ok", str(torch.__version__)),
        Finding("torch threads", "ok", f"{threads}, vector instructions: {vector}"),
    )


def _cpu() -> Finding:
    logical, physical = os.cpu_count() or 1, physical_cores()
    value = f"{cpu_model()}, {logical} logical cores"
    if physical is not None:
        value += f", {physical} physical"
    fast, slow = fast_and_slow_cores()
    if fast:
        value += f" ({fast} performance, {slow} efficiency)"
    return Finding("CPU", "ok", value)


def _memory() -> Finding:
    total = memory_bytes()
    if total is None:
        return Finding("memory", "warning", "", "its size cannot be read")
    if total < 3.5 * 2**30:
        return Finding("memory", "warning", format_bytes(total), "at least 4 GiB are recommended")
    return Finding("memory", "ok", format_bytes(total))


def conditions_of_measuring(root: Path = conditions.ROOT) -> tuple[Finding, ...]:
    """Return what changes the machine's speed: governor, turbo, power, quota and load.

    Args:
        root: the folder with ``sys`` and ``proc``, for tests.
    """
    return (_governor(root), _turbo(root), _power(root), _quota(root), _load(root))


_UNTOLD = "this system does not say"
_SUPPLIES = "sys/class/power_supply"


def _governor(root: Path) -> Finding:
    found, driver = conditions.governors(root), conditions.frequency_driver(root)
    if not found:
        return Finding("governor", "absent", _UNTOLD, "the clock frequency may change")
    value = ", ".join(found) + (f" ({driver})" if driver else "")
    if set(found) == {"performance"}:
        return Finding("governor", "ok", value)
    # These drivers raise the frequency under load in this mode, too.
    if set(found) == {"powersave"} and driver not in ("intel_pstate", "amd-pstate-epp"):
        cost = "the clock stays at its lowest frequency: `cpupower frequency-set -g performance`"
        return Finding("governor", "warning", value, cost)
    return Finding("governor", "ok", value, "the clock follows the load, so warm up first")


def _turbo(root: Path) -> Finding:
    found = conditions.turbo(root)
    if found is None:
        return Finding("turbo", "absent", _UNTOLD, "short runs may be faster than long ones")
    cost = "short runs are faster than long ones, and the temperature counts" if found else ""
    return Finding("turbo", "ok", "on" if found else "off", cost)


def _power(root: Path) -> Finding:
    found = conditions.on_battery(root)
    if found is None:
        value = "no battery" if (root / _SUPPLIES).is_dir() else _UNTOLD
        return Finding("power", "absent", value, "nothing, unless it is a laptop on its battery")
    if found:
        cost = "laptops compute slower on battery: connect the charger before measuring"
        return Finding("power", "warning", "battery", cost)
    return Finding("power", "ok", "mains")


def _quota(root: Path) -> Finding:
    quota, cores = conditions.cpu_quota(root), usable_cores()
    if quota is None:
        told = (root / "proc/self/cgroup").exists()
        if told:
            return Finding("CPU quota", "ok", "none")
        return Finding("CPU quota", "absent", _UNTOLD, "nothing outside of a container")
    value = f"the time of {quota:g} cores, of {cores} that can be used"
    if quota >= cores:
        return Finding("CPU quota", "ok", value)
    cost = (
        "more threads are stopped for the rest of each period, which looks like noise: "
        f"torch.set_num_threads({max(1, int(quota))})"
    )
    return Finding("CPU quota", "warning", value, cost)


def _load(root: Path) -> Finding:
    average, now, cores = (
        conditions.load_average(root),
        conditions.running_now(root),
        usable_cores(),
    )
    if average is None:
        return Finding("load", "absent", _UNTOLD, "other programs may slow down what you measure")
    value = f"{average:g} on average over a minute, {cores} cores"
    if now is not None:
        value = f"{now} other threads now, {value}"
    # This program itself has run for a part of the minute.
    if max(average - 1, now or 0) > 0.5 * cores:
        return Finding("load", "warning", value, "other programs are running: close them")
    return Finding("load", "ok", value)


def _gpu() -> Finding:
    recorded = "lab 11 and the GPU columns show recorded results"
    listed = gpus()
    driver = f", driver {listed[0][1]}" if listed else ""
    usable = [] if isinstance(import_optional("torch"), str) else accelerator.names()[2:]
    if usable:
        found = [f"{accelerator.name(device)} ({device})" for device in usable]
        return Finding("GPU", "ok", f"{', '.join(found)}{driver}")
    if listed:
        cost = "torch does not see it: a CPU build of torch, or a driver too old for it"
        more = f", and {len(listed) - 1} more" if listed[1:] else ""
        return Finding("GPU", "warning", f"{listed[0][0]}{driver}{more}", f"{cost}; {recorded}")
    return Finding("GPU", "absent", "", recorded)


def _compilers() -> list[Finding]:
    c, cpp = find_compiler(), find_cpp_compiler()
    reason = why_not_inductor()
    without_c = f"labs 01, 04, 08 use Numba instead: {why_no_compiler()}"
    without_cpp = f"labs 08, 13, 14 compile no models: torch.compile does not run, because {reason}"
    return [
        Finding("C compiler", "ok", os.path.basename(c))
        if c
        else Finding("C compiler", "absent", "", without_c),
        Finding("C++ compiler", "ok", f"{os.path.basename(cpp or '')}, torch.compile works")
        if not reason
        else Finding("C++ compiler", "absent", os.path.basename(cpp or ""), without_cpp),
    ]


def _host() -> tuple[Finding, ...]:
    """Say on a hosted notebook what stays as it is there."""
    found = host()
    if found is None:
        return ()
    kept = ", ".join(found.fixed) or "its packages"
    cost = (
        f"keep the versions of {kept}; what you install is gone after the session; to add a "
        f"package: `{install_command('NAME')}`"
    )
    return (Finding("hosted notebook", "ok", found.name, cost),)


def _sampler() -> Finding:
    """Sample a short run, to see who may take the samples on this machine."""
    cost = "lab 09's sampler leaves out, or refuses, what holds Python's lock"
    try:
        from hpml.profiling.sampling import sample

        observer = sample(lambda: time.sleep(0.1), interval=2e-3).observer
    except Exception as error:  # noqa: BLE001 - any error means that there is no sampler
        return Finding("sampler", "warning", "", f"{cost}: {describe(str(error), 100)}")
    if observer == "thread":
        return Finding("sampler", "warning", observer, f"{cost}; install py-spy, on macOS use sudo")
    return Finding("sampler", "ok", observer)


def _packages(costs: Mapping[str, str], state: State) -> list[Finding]:
    versions = {name: installed_version(name) for name in costs}
    reasons = imported_elsewhere([name for name in costs if versions[name] is not None])
    found = []
    for name, cost in costs.items():
        version, reason = versions[name], too_old(name) or reasons.get(name, "")
        if version is None or reason:
            whole = f"{cost}: {reason}" if reason else cost
            found.append(Finding(name, state, version or "", whole))
        else:
            found.append(Finding(name, "ok", version))
    return found


_IMPORTS = """\
import json, os, sys
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what a package prints is no answer
from hpml.base.optional import why_unavailable
for line in sys.stdin:
    print(json.dumps(why_unavailable(json.loads(line))), file=answers, flush=True)
"""


def imported_elsewhere(names: Sequence[str]) -> dict[str, str]:
    """Return why each package cannot be imported, or an empty text, from another process.

    There it may crash, change PyTorch or take memory, and nothing here notices.
    """
    reasons: dict[str, str] = {}
    child = None
    for name in names:
        child = child or ChildProcess(
            [sys.executable, "-P", "-W", "ignore", "-c", _IMPORTS], environment=with_package()
        )
        child.send(name)
        try:
            reasons[name] = child.receive(_IMPORT_SECONDS)
        except ChildError as error:
            reasons[name] = f"importing it ends Python: {describe(str(error), 100)}"
            child.close()
            child = None
    if child is not None:
        child.close()
    return reasons
