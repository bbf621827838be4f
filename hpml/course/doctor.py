"""Report what this machine has for the course, and what each missing part costs."""

from __future__ import annotations

import importlib
import os
import platform
import sys
import time
from dataclasses import dataclass
from importlib import metadata
from typing import Literal

from hpml.base.environment import (
    cpu_model,
    gpus,
    installed_version,
    memory_bytes,
    physical_cores,
)
from hpml.base.errors import describe
from hpml.base.files import PACKAGED, CourseFileError, course_folder
from hpml.base.tables import Shown, Table, format_bytes
from hpml.jit.compilers import find_compiler, find_cpp_compiler, unlinkable_path

State = Literal["ok", "absent", "warning", "missing"]
"""``absent``: optional and not installed; ``warning``: may be a problem; ``missing``: required."""

_OLDEST_PYTHON, _NEWEST_PYTHON = (3, 11), (3, 14)
_MARKS: dict[State, str] = {"ok": "✓", "absent": "–", "warning": "!", "missing": "✗"}

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
    "pyinstrument": "no sampling profiler in lab 09",
    "psutil": "`hpml run` and `hpml train` do not start",
    "tqdm": "no progress bars",
}
_OPTIONAL = {
    "jupyterlab": "`hpml lab` cannot open the course; hosted notebooks do not need it",
    "snakeviz": "lab 09 cannot open the saved profile in SnakeViz",
    "onnx": "lab 14 exports no model",
    "onnxscript": "lab 14 exports no model",
    "onnxruntime": "lab 14 has no rows for ONNX Runtime",
    "netron": "lab 14 cannot open a graph in Netron",
    "torchao": "lab 14 has no models in 8-bit integers",
    "tensorrt": "lab 14 has no row for TensorRT",
}


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
        rows = [
            (_MARKS[found.state], found.name, found.value or "not found", found.cost)
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
        _gpu(),
        *_compilers(),
        _course(),
        _sampler(),
        *(_package(name, cost, "missing") for name, cost in _REQUIRED.items()),
        *(_package(name, cost, "absent") for name, cost in _OPTIONAL.items()),
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
    except (ImportError, OSError) as error:  # OSError: a shared library is missing
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
    return Finding("CPU", "ok", value)


def _memory() -> Finding:
    total = memory_bytes()
    if total is None:
        return Finding("memory", "warning", "", "its size cannot be read")
    if total < 3.5 * 2**30:
        return Finding("memory", "warning", format_bytes(total), "at least 4 GiB are recommended")
    return Finding("memory", "ok", format_bytes(total))


def _gpu() -> Finding:
    found = gpus()
    if not found:
        return Finding("GPU", "absent", "", "lab 11 and the GPU columns show recorded results")
    name, driver = found[0]
    value = f"{name}, driver {driver}" + (f", and {len(found) - 1} more" if found[1:] else "")
    if not _torch_sees_a_gpu():
        cost = "torch does not see it: a CPU build of torch, or a driver too old for it"
        return Finding("GPU", "warning", value, cost)
    return Finding("GPU", "ok", value)


def _torch_sees_a_gpu() -> bool:
    try:
        import torch
    except (ImportError, OSError):
        return False
    return bool(torch.cuda.is_available())


def _compilers() -> list[Finding]:
    no_compile = "torch.compile does not run on the CPU"
    if path := unlinkable_path():
        no_compile += f', because of the space in {path}: use make lab VENV="$HOME/hpml-venv"'
    return [
        Finding(name, "ok", os.path.basename(command))
        if command
        else Finding(name, "absent", "", cost)
        for name, command, cost in (
            ("C compiler", find_compiler(), "labs 01, 04, 08 use Numba instead"),
            ("C++ compiler", find_cpp_compiler(), no_compile),
        )
    ]


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


def _package(name: str, cost: str, state: State) -> Finding:
    try:
        version = metadata.version(name)
        if state == "missing":  # required
            importlib.import_module(name)
    except metadata.PackageNotFoundError:
        return Finding(name, state, "", cost)
    except Exception as error:  # noqa: BLE001 - an import may raise anything
        return Finding(name, state, version, f"{cost}: {describe(str(error), 100)}")
    return Finding(name, "ok", version)
