"""Record the machine and versions of a measurement, which a comparison needs.

The record contains no host name, user name or path. Versions come from the metadata of installed
packages, without importing them.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

import hpml
from hpml.base import accelerator
from hpml.base.errors import UsageError, describe
from hpml.base.optional import import_optional

Value = str | int | float | None
"""The values of an environment record, all of them valid in JSON."""


def environment_record(*, threads: int | None = None, device: str = "cpu") -> dict[str, Value]:
    """Return the machine, versions and settings of the current process, ready for JSON.

    Args:
        threads: number of threads of the measured work; None if it was not set.
        device: device of the measured work, such as ``"cpu"`` or ``"cuda:0"``.

    Returns:
        ``python``, ``implementation``, ``platform``, ``cpu``, ``logical_cores``,
        ``physical_cores``, ``performance_cores`` and ``efficiency_cores`` (None where all cores are
        alike, or the system does not say), ``memory_gib``, ``torch``, ``numpy``, ``numba``
        (versions, None if not installed), ``threads``, ``device``, ``gpu`` (the one that `device`
        names; for the CPU all that the machine has, or None), ``gpu_driver`` (NVIDIA's, or None),
        ``tf32_convolutions`` (whether those of float32 round their inputs on `device`),
        ``load_average`` (runnable processes, mean over the last minute), ``time_utc`` (ISO 8601),
        ``hpml``, and ``commit`` (of the clone, with ``-dirty`` if it has local changes).

    >>> record = environment_record(threads=1)
    >>> record["device"], record["threads"]
    ('cpu', 1)
    """
    memory = memory_bytes()
    gpu, driver = _gpu(device)
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpu": cpu_model(),
        "logical_cores": os.cpu_count(),
        "physical_cores": physical_cores(),
        "performance_cores": fast_and_slow_cores()[0],
        "efficiency_cores": fast_and_slow_cores()[1],
        "memory_gib": None if memory is None else round(memory / 2**30, 1),
        "torch": torch_build(),
        "numpy": installed_version("numpy"),
        "numba": installed_version("numba"),
        "threads": threads,
        "device": device,
        "gpu": gpu,
        "gpu_driver": driver,
        "tf32_convolutions": device != "cpu" and _rounds_convolutions(device),
        "load_average": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "time_utc": datetime.now(UTC).isoformat(timespec="seconds"),
        "hpml": hpml.__version__,
        "commit": _commit(),
    }


def flag(name: str) -> bool:
    """Return whether the environment variable `name` is 1, true, yes or on (case is ignored)."""
    value = os.environ.get(name, "")
    word = value.strip().lower()
    if word not in {"1", "true", "yes", "on", "", "0", "false", "no", "off"}:
        raise UsageError(
            object=f"environment variable {name}",
            expected="1 or 0",
            received=describe(value),
            remedy="Set it to one of them, or unset it.",
        )
    return word in {"1", "true", "yes", "on"}


def installed_version(package: str) -> str | None:
    """Return the version of an installed distribution, or None, without importing it."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def torch_build() -> str | None:
    """Return the version of PyTorch with its build, or None, without importing it."""
    version = installed_version("torch")
    if version is None:
        return None
    source = Path(str(metadata.distribution("torch").locate_file("torch/version.py")))
    found = re.search(r"""(?m)^__version__ = ['"](.+?)['"]""", source.read_text(encoding="utf-8"))
    return found[1] if found else version


@lru_cache(maxsize=1)
def cpu_model() -> str:
    """Return the processor's name as the operating system reports it."""
    name: str | None = None
    if sys.platform == "linux":
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        found = re.search(r"(?m)^(?:model name|Model|Hardware)\s*:\s*(\S.*)", info)
        name = " ".join(found[1].split()) if found else None
    elif sys.platform == "darwin":
        name = _output("sysctl", "-n", "machdep.cpu.brand_string")
    elif sys.platform == "win32":
        name = _windows_processor()
    return name or platform.processor() or platform.machine()


def _windows_processor() -> str | None:
    """Return the processor's name from the registry: `platform` knows only its family."""
    import winreg

    registry: Any = winreg  # typed for Windows only
    place = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"
    try:
        with registry.OpenKey(registry.HKEY_LOCAL_MACHINE, place) as key:
            return str(registry.QueryValueEx(key, "ProcessorNameString")[0]).strip()
    except OSError:
        return None


def physical_cores() -> int | None:
    """Return the number of physical cores, or None if psutil is missing or does not know."""
    psutil = import_optional("psutil")
    return None if isinstance(psutil, str) else psutil.cpu_count(logical=False)


@lru_cache(maxsize=1)
def fast_and_slow_cores() -> tuple[int, int] | tuple[None, None]:
    """Return the numbers of performance and of efficiency cores.

    Both are None where all cores are alike, or the system does not say. A thread may run on either
    kind, so times differ between runs on such a machine.
    """
    found: list[int] = []
    if sys.platform == "darwin":
        levels = [_output("sysctl", "-n", f"hw.perflevel{n}.physicalcpu") for n in (0, 1)]
        found = [int(each) for each in levels if each and each.isdigit()]
    elif sys.platform == "linux":
        found = _cores_by_kind(Path("/sys/devices"))
    fast, slow = found if len(found) == 2 else (0, 0)
    return (fast, slow) if fast and slow else (None, None)


def _cores_by_kind(devices: Path) -> list[int]:
    """Return the number of cores of each kind, the fastest first, as Linux lists them."""
    cpus = sorted(devices.glob("system/cpu/cpu[0-9]*"))
    cores: dict[str, set[str]] = {}
    for cpu in cpus:
        # The first thread of a core stands for all its threads.
        core = _line(cpu / "topology/thread_siblings_list") or cpu.name
        kind = _line(cpu / "cpu_capacity")  # ARM
        for name, number in (("cpu_core", "2"), ("cpu_atom", "1")):  # Intel
            if int(cpu.name[3:]) in _numbers(_line(devices / name / "cpus")):
                kind = number
        cores.setdefault(kind, set()).add(core)
    if "" in cores:
        return []
    return [len(cores[kind]) for kind in sorted(cores, key=int, reverse=True)]


def _line(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _numbers(text: str) -> set[int]:
    """Return the numbers in a list of ranges, such as ``0-3,8``."""
    found: set[int] = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def memory_bytes() -> int | None:
    """Return the machine's memory in bytes, or None if psutil is missing."""
    psutil = import_optional("psutil")
    return None if isinstance(psutil, str) else int(psutil.virtual_memory().total)


def _rounds_convolutions(device: str) -> bool:
    from hpml.base import accelerator

    return accelerator.rounds_convolutions(device)


def _gpu(device: str) -> tuple[str | None, str | None]:
    """Return the name of the GPU that `device` names, for the CPU of all, and NVIDIA's driver."""
    listed = gpus()
    driver = listed[0][1] if listed else None
    if device == "cpu" and (listed or "torch" not in sys.modules):
        return ", ".join(dict.fromkeys(name for name, _ in listed)) or None, driver
    # With several GPUs only torch knows which one a number means.
    return accelerator.name(accelerator.kind() if device == "cpu" else device), driver


@lru_cache(maxsize=1)
def gpus() -> tuple[tuple[str, str], ...]:
    """Return (name, driver version) of each NVIDIA GPU, without torch."""
    listing = _output("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader")
    rows = [line.rsplit(",", 1) for line in (listing or "").splitlines()]
    return tuple((row[0].strip(), row[1].strip()) for row in rows if len(row) == 2)


@lru_cache(maxsize=1)
def _commit() -> str | None:
    """Return the commit of the clone that contains this package, or None."""
    root = Path(__file__).resolve().parents[2]
    # Only a clone of hpml, not another project with hpml in its site-packages.
    if not (root / ".git").exists():
        return None
    return _output(
        "git", "-C", str(root), "describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"
    )


def _output(*command: str) -> str | None:
    """Return the output of a system command, or None if it is missing, fails or hangs."""
    program = shutil.which(command[0])
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, *command[1:]],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=10,
            check=True,
            stdin=subprocess.DEVNULL,
            # Prevents a console window on Windows; other systems lack the flag.
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None
