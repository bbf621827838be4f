from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from typing import Any

import pytest

from hpml.course.labs.lab_11_gpu_benchmarks import triton_row


def test_the_shown_kernel_is_the_text_of_the_file_without_remarks_of_the_type_checker() -> None:
    text = triton_row.source()
    (kernel,) = ast.parse(text).body
    assert isinstance(kernel, ast.FunctionDef)
    assert kernel.name == "softmax_row"
    assert "# type:" not in text


def test_without_triton_the_cell_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    text = " ".join(triton_row.run("cpu").plain.split())
    assert text.startswith("In operators, softmax is 5 launches; the kernel is one.")
    assert "triton`, then restart the kernel of this notebook" in text
    assert "not yet recorded" in text


def ends_with(code: int, out: str, error: str = "") -> Any:
    def run(command: list[str], **options: Any) -> Any:
        assert command[:2] == [sys.executable, "-m"]
        assert options["env"]["TRITON_INTERPRET"] == "1"
        return subprocess.CompletedProcess(command, code, out, error)

    return run


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (ends_with(0, "1.5e-09\n"), "differs from PyTorch's softmax by at most 0.0000000015."),
        (ends_with(1, "", "Traceback\nKeyError: 'x'\n"), "interpreter failed: KeyError: 'x'"),
    ],
)
def test_on_a_cpu_the_interpreter_runs_the_kernel_in_a_process_of_its_own(
    monkeypatch: pytest.MonkeyPatch, run: Any, said: str
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(triton_row.subprocess, "run", run)
    assert said in " ".join(triton_row.run("cpu").plain.split())


def test_the_kernel_agrees_with_pytorch_where_triton_is_installed() -> None:
    here = importlib.util.find_spec("triton") is not None
    expected = "differs from PyTorch's softmax by at most 0.0000" if here else "is not installed"
    assert expected in " ".join(triton_row.run("cpu").plain.split())
