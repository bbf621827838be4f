"""What changes the speed of a machine while it is measured: clock, power, quota and load.

Each function reads files below `root`, ``/`` by default, so that a test can write them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from hpml.base.optional import import_optional

ROOT = Path("/")

_CPU = "sys/devices/system/cpu"


def governors(root: Path = ROOT) -> tuple[str, ...]:
    """Return the policies by which Linux sets the clock frequency, each once; empty if unknown.

    Source: https://docs.kernel.org/admin-guide/pm/cpufreq.html
    """
    files = sorted(root.glob(f"{_CPU}/cpu[0-9]*/cpufreq/scaling_governor"))
    return tuple(dict.fromkeys(filter(None, map(_text, files))))


def frequency_driver(root: Path = ROOT) -> str:
    """Return the driver that sets the clock frequency, or an empty text."""
    return _text(root / _CPU / "cpu0/cpufreq/scaling_driver")


def turbo(root: Path = ROOT) -> bool | None:
    """Return whether the processor may exceed its base frequency, or None if unknown."""
    no_turbo = _text(root / _CPU / "intel_pstate/no_turbo")
    if no_turbo in ("0", "1"):
        return no_turbo == "0"
    places = [root / _CPU / "cpufreq/boost", *sorted(root.glob(f"{_CPU}/cpufreq/policy*/boost"))]
    found = [text for text in map(_text, places) if text in ("0", "1")]
    return "1" in found if found else None


def on_battery(root: Path = ROOT) -> bool | None:
    """Return whether the machine runs on its battery; None if it has none, or none is known.

    Source: https://docs.kernel.org/power/power_supply_class.html
    """
    if root != ROOT or sys.platform == "linux":
        return _on_battery_of_linux(root)
    psutil = import_optional("psutil")
    if isinstance(psutil, str):
        return None
    read = getattr(psutil, "sensors_battery", None)
    battery = read() if read is not None else None
    if battery is None or battery.power_plugged is None:
        return None
    return not battery.power_plugged


def _on_battery_of_linux(root: Path) -> bool | None:
    mains, batteries = [], []
    for supply in sorted(root.glob("sys/class/power_supply/*")):
        kind = _text(supply / "type")
        if _text(supply / "scope") == "Device":  # of a mouse or a headset
            continue
        if kind == "Battery":
            batteries.append(_text(supply / "status"))
        elif kind in ("Mains", "USB", "Wireless"):
            mains.append(_text(supply / "online"))
    if not batteries:
        return None
    if mains and "1" in mains:
        return False
    return "Discharging" in batteries or ("0" in mains and "Charging" not in batteries)


def cpu_quota(root: Path = ROOT) -> float | None:
    """Return how many cores' time a container or a service may use; None without a limit.

    The smallest limit of the process's control group and the groups around it counts, in version 1
    or 2 of Linux' control groups.

    Source: https://docs.kernel.org/admin-guide/cgroup-v2.html and sched-bwc.html
    """
    found = [quota for quota in _quotas(root) if quota is not None]
    return min(found, default=None)


def _quotas(root: Path) -> Iterator[float | None]:
    mount = root / "sys/fs/cgroup"
    for line in _text(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            for folder in _upwards(mount, path):
                yield _quota_2(_text(folder / "cpu.max"))
            for folder in _upwards(mount / "unified", path):
                yield _quota_2(_text(folder / "cpu.max"))
        elif "cpu" in controllers.split(","):
            for name in (controllers, "cpu", "cpu,cpuacct", "cpuacct,cpu"):
                for folder in _upwards(mount / name, path):
                    yield _quota_1(folder)


def _upwards(mount: Path, path: str) -> Iterator[Path]:
    """Yield the folder of a group and of each group around it; in a container, often the mount."""
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    for count in range(len(parts), -1, -1):
        yield mount.joinpath(*parts[:count])


def _quota_2(text: str) -> float | None:
    quota, _, period = text.partition(" ")
    return _cores(quota, period or "100000")


def _quota_1(folder: Path) -> float | None:
    return _cores(_text(folder / "cpu.cfs_quota_us"), _text(folder / "cpu.cfs_period_us"))


def _cores(quota: str, period: str) -> float | None:
    """Return microseconds per period as cores; "max" and -1 mean no limit."""
    if not (quota.isdigit() and period.isdigit() and int(period)):
        return None
    return int(quota) / int(period) or None


def running_now(root: Path = ROOT) -> int | None:
    """Return how many threads run or wait for a core now, without this one; None if unknown.

    Source: https://man7.org/linux/man-pages/man5/proc_loadavg.5.html
    """
    fields = _text(root / "proc/loadavg").split()
    if len(fields) < 4 or not fields[3].partition("/")[0].isdigit():
        return None
    return max(0, int(fields[3].partition("/")[0]) - 1)


def load_average(root: Path = ROOT) -> float | None:
    """Return the mean number of runnable threads over the last minute, or None if unknown."""
    fields = _text(root / "proc/loadavg").split()
    if fields:
        return float(fields[0])
    if root == ROOT and hasattr(os, "getloadavg"):
        return round(os.getloadavg()[0], 2)
    return None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
