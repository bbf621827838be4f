"""Clock, power, quota and load, read from files as Linux writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hpml.course import conditions

CPU = "sys/devices/system/cpu"


def write(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", encoding="utf-8")
    return root


def test_a_system_without_the_files_says_nothing(tmp_path: Path) -> None:
    assert conditions.governors(tmp_path) == ()
    assert conditions.frequency_driver(tmp_path) == ""
    for read in (
        conditions.turbo,
        conditions.on_battery,
        conditions.cpu_quota,
        conditions.running_now,
        conditions.load_average,
    ):
        assert read(tmp_path) is None


def test_each_governor_is_named_once(tmp_path: Path) -> None:
    names = ("powersave", "powersave", "performance")
    files = {f"{CPU}/cpu{n}/cpufreq/scaling_governor": name for n, name in enumerate(names)}
    write(tmp_path, **files, **{f"{CPU}/cpu0/cpufreq/scaling_driver": "intel_pstate"})
    assert conditions.governors(tmp_path) == ("powersave", "performance")
    assert conditions.frequency_driver(tmp_path) == "intel_pstate"


@pytest.mark.parametrize(
    ("file", "text", "on"),
    [
        ("intel_pstate/no_turbo", "0", True),
        ("intel_pstate/no_turbo", "1", False),
        ("cpufreq/boost", "1", True),
        ("cpufreq/boost", "0", False),
        ("cpufreq/policy3/boost", "1", True),
        ("cpufreq/boost", "unknown", None),
    ],
)
def test_turbo_is_read_for_intel_and_amd(
    tmp_path: Path, file: str, text: str, on: bool | None
) -> None:
    assert conditions.turbo(write(tmp_path, **{f"{CPU}/{file}": text})) is on


SUPPLY = "sys/class/power_supply"


@pytest.mark.parametrize(
    ("files", "battery"),
    [
        ({"AC/type": "Mains", "AC/online": "1"}, None),  # a desktop
        ({"AC/type": "Mains", "AC/online": "1", "BAT0/type": "Battery",
          "BAT0/status": "Full"}, False),
        ({"AC/type": "Mains", "AC/online": "0", "BAT0/type": "Battery",
          "BAT0/status": "Discharging"}, True),
        ({"BAT0/type": "Battery", "BAT0/status": "Discharging"}, True),
        ({"BAT0/type": "Battery", "BAT0/status": "Charging"}, False),
        # Two chargers' ports, one of them in use.
        ({"U0/type": "USB", "U0/online": "0", "U1/type": "USB", "U1/online": "1",
          "BAT0/type": "Battery", "BAT0/status": "Not charging"}, False),
        ({"mouse/type": "Battery", "mouse/scope": "Device",
          "mouse/status": "Discharging"}, None),
    ],
)  # fmt: skip
def test_mains_or_battery(tmp_path: Path, files: dict[str, str], battery: bool | None) -> None:
    write(tmp_path, **{f"{SUPPLY}/{name}": text for name, text in files.items()})
    assert conditions.on_battery(tmp_path) is battery


CGROUP = "sys/fs/cgroup"
SLICE = "/user.slice/app.scope"


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        # Version 2: in a container the group is the mount, elsewhere a folder below it.
        ({"proc/self/cgroup": "0::/", f"{CGROUP}/cpu.max": "150000 100000"}, 1.5),
        ({"proc/self/cgroup": "0::/", f"{CGROUP}/cpu.max": "max 100000"}, None),
        ({"proc/self/cgroup": "0::/", f"{CGROUP}/cpu.max": "50000"}, 0.5),
        ({"proc/self/cgroup": f"0::{SLICE}", f"{CGROUP}{SLICE}/cpu.max": "400000 100000"}, 4.0),
        # The limit of a group around it counts, if it is smaller.
        ({"proc/self/cgroup": f"0::{SLICE}", f"{CGROUP}{SLICE}/cpu.max": "400000 100000",
          f"{CGROUP}/user.slice/cpu.max": "200000 100000"}, 2.0),
        ({"proc/self/cgroup": "0::/../other", f"{CGROUP}/cpu.max": "100000 50000"}, 2.0),
        # Version 1: the path is the host's, which a container does not have.
        ({"proc/self/cgroup": "4:cpu,cpuacct:/docker/12\n1:name=systemd:/docker/12",
          f"{CGROUP}/cpu,cpuacct/cpu.cfs_quota_us": "250000",
          f"{CGROUP}/cpu,cpuacct/cpu.cfs_period_us": "100000"}, 2.5),
        ({"proc/self/cgroup": "2:cpuacct,cpu:/a", f"{CGROUP}/cpu/a/cpu.cfs_quota_us": "30000",
          f"{CGROUP}/cpu/a/cpu.cfs_period_us": "10000"}, 3.0),
        ({"proc/self/cgroup": "4:cpu:/", f"{CGROUP}/cpu/cpu.cfs_quota_us": "-1",
          f"{CGROUP}/cpu/cpu.cfs_period_us": "100000"}, None),
        # Another controller's limit is none of the CPU.
        ({"proc/self/cgroup": "3:cpuset:/", f"{CGROUP}/cpuset/cpu.cfs_quota_us": "1000",
          f"{CGROUP}/cpuset/cpu.cfs_period_us": "100000"}, None),
        # Both versions, as systemd's hybrid mode mounts them.
        ({"proc/self/cgroup": "4:cpu,cpuacct:/\n0::/",
          f"{CGROUP}/unified/cpu.max": "max 100000",
          f"{CGROUP}/cpu,cpuacct/cpu.cfs_quota_us": "100000",
          f"{CGROUP}/cpu,cpuacct/cpu.cfs_period_us": "100000"}, 1.0),
    ],
)  # fmt: skip
def test_the_quota_is_the_smallest_of_the_group_and_those_around_it(
    tmp_path: Path, files: dict[str, str], cores: float | None
) -> None:
    assert conditions.cpu_quota(write(tmp_path, **files)) == cores


def test_the_load_leaves_out_the_thread_that_reads_it(tmp_path: Path) -> None:
    write(tmp_path, **{"proc/loadavg": "2.50 1.00 0.50 4/321 12345"})
    assert conditions.running_now(tmp_path) == 3
    assert conditions.load_average(tmp_path) == 2.5
