from __future__ import annotations

import getpass
import json
import platform
from importlib import metadata
from pathlib import Path

import pytest
import torch

from hpml.base import environment
from hpml.base.environment import environment_record, flag
from hpml.base.errors import UsageError
from tests.parts import raises


def test_the_record_is_plain_json_and_says_what_was_asked() -> None:
    record = environment_record(threads=3, device="cuda:0")
    assert json.loads(json.dumps(record)) == record
    assert (record["threads"], record["device"]) == (3, "cuda:0")
    assert record["python"] == platform.python_version()
    assert record["numpy"] == metadata.version("numpy")


def test_the_record_points_at_no_person_and_no_place() -> None:
    text = json.dumps(environment_record())
    host = platform.node()
    assert not host or host not in text
    assert "/" not in text.replace("Linux/", "")
    # A user may be called "root" or "cpu"; only as a whole value would it be the user's name.
    assert getpass.getuser() not in environment_record().values()


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1", True), ("TRUE", True), (" on ", True), ("", False), ("0", False), ("No", False)],
)
def test_a_flag_reads_the_usual_words(
    monkeypatch: pytest.MonkeyPatch, value: str, expected: bool
) -> None:
    monkeypatch.setenv("HPML_QUICK", value)
    assert flag("HPML_QUICK") is expected


def test_gpus_are_read_from_nvidia_smi(monkeypatch: pytest.MonkeyPatch) -> None:
    listing = "NVIDIA H200, 570.1\nNVIDIA RTX A4000, 570.1"
    monkeypatch.setattr(environment, "_output", lambda *command: listing)
    environment.gpus.cache_clear()
    try:
        assert environment.gpus() == (("NVIDIA H200", "570.1"), ("NVIDIA RTX A4000", "570.1"))
        assert environment_record()["gpu"] == "NVIDIA H200, NVIDIA RTX A4000"
    finally:
        environment.gpus.cache_clear()


def test_the_version_of_torch_names_the_build_that_runs() -> None:
    # PyPI's wheel says 2.13.0 in its metadata, and is 2.13.0+cu130.
    assert environment_record()["torch"] == torch.__version__


def test_a_flag_that_is_neither_true_nor_false_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HPML_QUICK", "maybe")
    name = "environment variable HPML_QUICK"
    with raises(UsageError, object=name, expected="1 or 0", received="'maybe'", remedy="unset"):
        flag("HPML_QUICK")


def linux_cpus(folder: Path, kinds: dict[int, str]) -> None:
    """Write what Linux says about CPUs, by their capacity or as Intel's two kinds."""
    for number, kind in kinds.items():
        cpu = folder / f"system/cpu/cpu{number}"
        (cpu / "topology").mkdir(parents=True)
        sibling = f"{number // 2 * 2}-{number // 2 * 2 + 1}" if kind == "core" else f"{number}"
        (cpu / "topology/thread_siblings_list").write_text(sibling, encoding="ascii")
        if kind.isdigit():
            (cpu / "cpu_capacity").write_text(kind, encoding="ascii")
    for name in ("core", "atom"):
        cpus = [str(number) for number, kind in kinds.items() if kind == name]
        if cpus:
            (folder / f"cpu_{name}").mkdir()
            (folder / f"cpu_{name}/cpus").write_text(f"{cpus[0]}-{cpus[-1]}\n", encoding="ascii")


@pytest.mark.parametrize(
    ("kinds", "counts"),
    [
        ({0: "core", 1: "core", 2: "core", 3: "core", 4: "atom", 5: "atom", 6: "atom"}, [2, 3]),
        ({0: "446", 1: "446", 2: "1024"}, [1, 2]),
        ({0: "1024", 1: "1024"}, [2]),
        ({0: "", 1: ""}, []),
    ],
)
def test_fast_and_slow_cores_of_linux(
    kinds: dict[int, str], counts: list[int], tmp_path: Path
) -> None:
    linux_cpus(tmp_path, kinds)
    assert environment._cores_by_kind(tmp_path) == counts


def test_fast_and_slow_cores_of_a_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment.sys, "platform", "darwin")
    says = {"hw.perflevel0.physicalcpu": "4", "hw.perflevel1.physicalcpu": "6"}
    monkeypatch.setattr(environment, "_output", lambda *command: says.get(command[-1]))
    environment.fast_and_slow_cores.cache_clear()
    try:
        assert environment.fast_and_slow_cores() == (4, 6)
        environment.fast_and_slow_cores.cache_clear()
        says.clear()  # a Mac with an Intel processor
        assert environment.fast_and_slow_cores() == (None, None)
    finally:
        environment.fast_and_slow_cores.cache_clear()
