from __future__ import annotations

import getpass
import json
import platform
from importlib import metadata

import pytest
import torch

from hpml.base import environment
from hpml.base.environment import environment_record, quick
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
def test_quick_reads_the_usual_words(
    monkeypatch: pytest.MonkeyPatch, value: str, expected: bool
) -> None:
    monkeypatch.setenv("HPML_QUICK", value)
    assert quick() is expected


def test_gpus_are_read_from_nvidia_smi(monkeypatch: pytest.MonkeyPatch) -> None:
    listing = "NVIDIA H200, 570.1\nNVIDIA RTX A4000, 570.1"
    monkeypatch.setattr(environment, "_output", lambda *command: listing)
    environment.gpus.cache_clear()
    try:
        assert environment.gpus() == (("NVIDIA H200", "570.1"), ("NVIDIA RTX A4000", "570.1"))
        assert environment_record()["gpu"] == "NVIDIA H200"
    finally:
        environment.gpus.cache_clear()


def test_the_version_of_torch_names_the_build_that_runs() -> None:
    # PyPI's wheel says 2.13.0 in its metadata, and is 2.13.0+cu130.
    assert environment_record()["torch"] == torch.__version__


def test_a_flag_that_is_neither_true_nor_false_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HPML_QUICK", "maybe")
    name = "environment variable HPML_QUICK"
    with raises(UsageError, object=name, expected="1 or 0", received="'maybe'", remedy="unset"):
        quick()
