from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hpml.course import doctor, install

ROOT = Path(__file__).resolve().parents[2]


class Pip:
    """Stand in for pip: fails where a requirement that has no release is asked for."""

    def __init__(self, *lacking: str) -> None:
        self.lacking = lacking
        self.calls: list[tuple[str, ...]] = []

    def __call__(self, *arguments: str) -> int:
        self.calls.append(arguments)
        names = {install._name(each) for each in arguments}
        return int(not names.isdisjoint(self.lacking) or ("." + "[dev]" in arguments))


def test_everything_is_installed_in_one_step_where_that_works(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[tuple[str, ...]] = []
    monkeypatch.setattr(install, "_pip", lambda *arguments: calls.append(arguments) or 0)
    assert install.main(["-c", "constraints.txt"]) == 0
    assert calls == [("-c", "constraints.txt", "-e", ".[dev]")]


@pytest.mark.parametrize("name", ["onnxruntime", "pyinstrument", "torchao"])
def test_one_optional_package_without_a_release_does_not_stop_the_rest(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pip = Pip(name)
    monkeypatch.setattr(install, "_pip", pip)
    assert install.main([]) == 0
    tried = {install._name(each) for call in pip.calls[1:] for each in call}
    assert {"torch", "jupyterlab", "onnx", "netron", "pytest", "snakeviz"} <= tried
    assert ("-q", "--no-deps", "-e", ".") in pip.calls
    last = capsys.readouterr().out.splitlines()[-1]
    assert name in last
    assert doctor.OPTIONAL[name] in last


@pytest.mark.parametrize("name", ["torch", "jupyterlab", "ipykernel"])
def test_what_every_lab_needs_stops_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = Pip(name)
    monkeypatch.setattr(install, "_pip", pip)
    assert install.main([]) == 1
    assert len(pip.calls) == 2


def test_a_missing_tool_of_developers_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "_pip", Pip("mypy"))
    assert install.main([]) == 0
    (line,) = install.left_out(["mypy>=2"])
    assert "mypy" in line
    assert "make test" in line


def test_each_requirement_is_installed_once() -> None:
    needed, optional, tools = install.wanted(ROOT)
    names = [install._name(each) for each in (*needed, *optional, *tools)]
    assert len(names) == len(set(names))
    assert "hpml" not in names
    assert {"torch", "jupyterlab"} <= {install._name(each) for each in needed}


def test_it_needs_nothing_installed() -> None:
    program = "import hpml.course.install as install; print(len(install.OPTIONAL))"
    command = [sys.executable, "-S", "-E", "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{len(doctor.OPTIONAL)}\n"), done.stderr
