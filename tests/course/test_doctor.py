from __future__ import annotations

import shlex
import shutil
import sys
import sysconfig
from typing import TYPE_CHECKING

import pytest
import torch
from IPython.lib.pretty import pretty

from hpml.course import doctor
from hpml.course.doctor import Finding, Report, report
from hpml.course.files import data_file
from hpml.jit import compilers
from tests.stand_in import StandIn, put_in

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def real() -> Report:
    return report()


def test_it_looks_at_everything_a_lab_may_need(real: Report) -> None:
    names = {finding.name for finding in real.findings}
    assert {"Python", "torch", "torch threads", "CPU", "memory", "GPU", "C compiler"} <= names
    assert {"course folder", "numpy", "numba", "jupyterlab"} <= names
    assert len(names) == len(real.findings)
    assert len(str(real).splitlines()) <= 40  # one screen
    assert [found.name for found in real.findings if found.state != "ok" and not found.cost] == []


def test_the_tested_environment_lacks_nothing_required(real: Report) -> None:
    assert real.ok
    assert "Everything the course requires is here." in str(real)


def test_a_missing_requirement_makes_the_report_not_ok() -> None:
    bad = Report((Finding("torch", "missing", "", "most labs need it"),))
    assert not bad.ok
    assert "Missing: torch. `make .venv` installs" in str(bad)
    assert "✗" in str(bad)


def test_marks_that_cannot_be_printed_are_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "can_print", lambda text: False)
    shown = Report((Finding("torch", "missing", "", ""), Finding("numpy", "ok", "2.4"))).table
    assert shown.column("") == ("missing", "ok")


def test_in_a_page_it_is_a_table() -> None:
    each = Report((Finding("GPU", "absent", "", "<b>"),))
    assert pretty(each) == str(each)
    html = each._repr_html_()
    assert html.count("<table") == 1
    assert "&lt;b&gt;" in html


@pytest.mark.parametrize(
    ("version", "implementation", "state", "said"),
    [
        ((3, 10, 9), "CPython", "missing", "needs 3.11 or newer"),
        ((3, 11, 0), "CPython", "ok", ""),
        ((3, 14, 10), "CPython", "ok", ""),
        ((3, 15, 2), "CPython", "warning", "tested with CPython 3.11 to 3.14"),
        ((3, 11, 9), "PyPy", "warning", "tested with CPython"),
    ],
)
def test_the_report_says_which_pythons_are_tested(
    monkeypatch: pytest.MonkeyPatch,
    version: tuple[int, ...],
    implementation: str,
    state: str,
    said: str,
) -> None:
    monkeypatch.setattr(sys, "version_info", version)
    monkeypatch.setattr(doctor.platform, "python_implementation", lambda: implementation)
    found = doctor._python()
    assert found.state == state
    assert said in found.cost
    assert "3.11 to 3.14" in found.cost or "3.11 to 3.14" in found.value


def test_the_labs_of_the_course_folder_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = data_file("published_results.json")
    monkeypatch.setenv("HPML_HOME", str(tmp_path))
    found = doctor._course()
    assert (found.state, "HPML_HOME" in found.cost) == ("warning", True)
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "data").mkdir()
    shutil.copy(published, tmp_path / "data")
    (tmp_path / "notebooks" / "00_start_here.ipynb").touch()
    assert doctor._course() == Finding("course folder", "ok", "labs: 1")
    monkeypatch.setattr(doctor, "PACKAGED", tmp_path)
    assert doctor._course().value == "labs: 1, inside the installed package"


def test_a_gpu_that_torch_does_not_see_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        doctor, "gpus", lambda: (("NVIDIA H200", "570.1"), ("NVIDIA H200", "570.1"))
    )
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda check_available: None)
    found = doctor._gpu()
    assert (found.state, found.value) == ("warning", "NVIDIA H200, driver 570.1, and 1 more")


def test_every_card_that_torch_finds_is_named_by_its_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put_in(monkeypatch)
    monkeypatch.setattr(doctor, "gpus", lambda: ())
    found = doctor._gpu()
    assert (found.state, found.value) == ("ok", "RTX 4060 (meta:0), H100 (meta:1)")


def program(path: Path, text: str) -> Path:
    """Write a program in shell."""
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_the_compiler_named_by_cc_is_found_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(doctor, "why_not_inductor", lambda: "")
    compiler = program(tmp_path / "my-cc", "touch made")
    monkeypatch.setenv("CC", f"{shlex.quote(str(compiler))} -O2")
    assert doctor._compilers()[0] == Finding("C compiler", "ok", "my-cc")


def test_a_compiler_that_only_asks_to_be_installed_is_absent_and_its_words_are_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = "xcode-select: note: No developer tools were found"
    for name in ("cc", "gcc", "clang", "g++"):
        program(tmp_path / name, f"echo {words!r} >&2; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CXX", "g++")
    monkeypatch.delenv("CC", raising=False)
    for finding in doctor._compilers():
        assert finding.state == "absent"
        assert words in finding.cost


def test_a_path_that_the_linker_cannot_take_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sysconfig, "get_config_var", lambda _: "/my courses/lib")
    finding = doctor._compilers()[1]
    assert (finding.state, "/my courses/lib" in finding.cost) == (
        "absent",
        compilers.sys.platform != "win32",
    )


def test_a_gpu_that_is_not_nvidias_is_named_as_torch_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put_in(monkeypatch)
    monkeypatch.setattr(doctor, "gpus", lambda: ())
    monkeypatch.delattr(StandIn, "get_device_name")
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: 1)
    assert doctor._gpu() == Finding("GPU", "ok", "meta (meta:0)")
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda check_available: None)
    assert doctor._gpu().state == "absent"


BROKEN = {
    "whole": "",
    "raises": "import json; json.no_such_name",
    "prints": "print('not an answer')",
    "crashes": "import os; os._exit(3)",
    "also_whole": "",
}


def test_a_package_that_fails_or_crashes_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, source in BROKEN.items():
        (tmp_path / f"hpml_test_{name}.py").write_text(source, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    found = doctor.imported_elsewhere([f"hpml_test_{name}" for name in BROKEN])
    assert [name for name, reason in found.items() if not reason] == [
        "hpml_test_whole",
        "hpml_test_prints",
        "hpml_test_also_whole",
    ]
    assert "AttributeError" in found["hpml_test_raises"]
    assert "ends Python" in found["hpml_test_crashes"]
    assert not any(name in sys.modules for name in found)


def test_a_package_that_cannot_be_imported_is_absent_or_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doctor, "imported_elsewhere", lambda names: {"numpy": "it raises X"})
    missing, absent = (
        doctor._packages({"numpy": "nothing runs"}, state) for state in ("missing", "absent")
    )
    for state, (found,) in (("missing", missing), ("absent", absent)):
        assert found.state == state
        assert found.cost == "nothing runs: it raises X"


def test_a_torch_that_cannot_be_imported_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    (found,) = doctor._torch()
    assert (found.name, found.state) == ("torch", "missing")
    assert "most labs need it" in found.cost


def conditions_of(root: Path, **files: str) -> dict[str, tuple[str, str]]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return {f.name: (f.state, f.value) for f in doctor.conditions_of_measuring(root)}


def test_the_report_says_what_changes_the_machines_speed(tmp_path: Path) -> None:
    cpu = "sys/devices/system/cpu"
    found = conditions_of(
        tmp_path,
        **{
            f"{cpu}/cpu0/cpufreq/scaling_governor": "powersave",
            f"{cpu}/cpu0/cpufreq/scaling_driver": "acpi-cpufreq",
            f"{cpu}/cpufreq/boost": "1",
            "sys/class/power_supply/BAT0/type": "Battery",
            "sys/class/power_supply/BAT0/status": "Discharging",
            "proc/self/cgroup": "0::/",
            "sys/fs/cgroup/cpu.max": "50000 100000",
            "proc/loadavg": "99.0 1 1 200/300 4",
        },
    )
    states = {name: state for name, (state, _) in found.items()}
    assert states == {
        "governor": "warning",
        "turbo": "ok",
        "power": "warning",
        "CPU quota": "warning",
        "load": "warning",
    }
    assert found["turbo"][1] == "on"
    assert "0.5 cores" in found["CPU quota"][1]
    assert "199 other threads" in found["load"][1]


def test_a_governor_that_follows_the_load_is_no_warning(tmp_path: Path) -> None:
    cpu = "sys/devices/system/cpu/cpu0/cpufreq"
    found = conditions_of(
        tmp_path,
        **{f"{cpu}/scaling_governor": "powersave", f"{cpu}/scaling_driver": "intel_pstate",
           "proc/self/cgroup": "0::/", "proc/loadavg": "0.0 0 0 1/300 4"},
    )  # fmt: skip
    assert found["governor"][0] == found["CPU quota"][0] == found["load"][0] == "ok"
    assert found["CPU quota"][1] == "none"


def test_what_a_system_does_not_say_is_absent_and_said_so(tmp_path: Path) -> None:
    found = conditions_of(tmp_path)
    assert {state for state, _ in found.values()} == {"absent"}
    assert all("does not say" in value for _, value in found.values())
    assert {f.name for f in doctor.report().findings} >= set(found)
