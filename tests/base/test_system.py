"""The bodies for Windows run in processes that emulate it; the others run here."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from hpml.base import system

ROOT = Path(__file__).resolve().parents[2]
EACH_SYSTEM = pytest.mark.parametrize("emulated", ["", "windows", "macos"])

# Each of two processes adds half of the answers, in the file that labs use.
ANSWERS = """
import sys
from hpml.course.lesson.lab_file import LabFile
file = LabFile("answers.json")
for number in range(40):
    with file.changing() as labs:
        labs.setdefault("00", {})[f"{sys.argv[1]} {number}"] = number
"""
COUNT = """
from hpml.course.lesson.lab_file import LabFile
print(len(LabFile("answers.json").labs()["00"]))
"""
LINES = """
import sys
from hpml.base.files import append_line
for number in range(40):
    append_line(sys.argv[2], f"{sys.argv[1]} {number} " + "x" * 5000)
"""
# A child of a child of a child, in sessions of their own where there are sessions.
TREE = """
import json, subprocess, sys, time
deeper = int(sys.argv[1])
if deeper:
    command = [sys.executable, "-c", open(sys.argv[2]).read(), str(deeper - 1), sys.argv[2]]
    subprocess.Popen(command, stdin=subprocess.DEVNULL)
else:
    print(json.dumps("all started"), flush=True)
time.sleep(3600)
"""
CLOSE_TREE = """
import json, os, sys, psutil
from hpml.base.child_process import ChildProcess
child = ChildProcess([sys.executable, "-c", open(sys.argv[1]).read(), "3", sys.argv[1]])
child.receive(60)
family = [child.pid, *(each.pid for each in psutil.Process(child.pid).children(recursive=True))]
getattr(child, sys.argv[2])()
print(json.dumps(family))
"""


def environment(emulated: str, **more: str) -> dict[str, str]:
    paths = [str(ROOT / "tests" / "emulated")] if emulated else []
    path = os.pathsep.join([*paths, str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "HPML_EMULATE": emulated, **more}


def python(code: str, *arguments: str, **options: Any) -> list[str]:
    return [sys.executable, "-c", code, *arguments]


@EACH_SYSTEM
def test_two_processes_lose_no_answer_of_80(emulated: str, tmp_path: Path) -> None:
    variables = environment(emulated, HPML_RESULTS=str(tmp_path))
    both = [subprocess.Popen(python(ANSWERS, name), env=variables) for name in ("a", "b")]
    assert [process.wait() for process in both] == [0, 0]
    said = subprocess.run(python(COUNT), env=variables, capture_output=True, check=True).stdout
    assert int(said) == 80
    assert [each.name for each in tmp_path.iterdir() if each.suffix == ".part"] == []


@EACH_SYSTEM
def test_lines_of_two_processes_do_not_mix(emulated: str, tmp_path: Path) -> None:
    file = tmp_path / "lines"
    command = [python(LINES, name, str(file)) for name in ("a", "b")]
    both = [subprocess.Popen(each, env=environment(emulated)) for each in command]
    assert [process.wait() for process in both] == [0, 0]
    lines = file.read_text(encoding="utf-8").splitlines()
    assert sorted(lines) == sorted(f"{a} {n} " + "x" * 5000 for a in "ab" for n in range(40))


@pytest.mark.parametrize("way", ["close", "kill"])
@EACH_SYSTEM
def test_the_end_of_a_child_is_the_end_of_its_grandchildren(
    emulated: str, way: str, tmp_path: Path
) -> None:
    program = tmp_path / "tree.py"
    program.write_text(TREE, encoding="utf-8")
    done = subprocess.run(
        python(CLOSE_TREE, str(program), way),
        env=environment(emulated),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    family = [int(pid) for pid in done.stdout.strip("[]\n").split(",")]
    assert len(family) == 4
    alive = [psutil.Process(pid) for pid in family if psutil.pid_exists(pid)]
    _, alive = psutil.wait_procs(alive, timeout=30)
    assert [each for each in alive if each.status() != psutil.STATUS_ZOMBIE] == []


class Scanner:
    """Keeps a file from being replaced a number of times."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self) -> str:
        self.left -= 1
        if self.left >= 0:
            raise PermissionError(errno.EACCES, "in use")
        return "done"


@pytest.mark.parametrize("times", [0, 1, 8])
def test_what_a_scanner_holds_for_a_while_is_tried_again(
    times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(system, "is_windows", lambda: True)
    monkeypatch.setattr(system.time, "sleep", pauses.append)
    assert system.retry(Scanner(times)) == "done"
    assert len(pauses) == times
    assert pauses == sorted(pauses)


def test_what_stays_forbidden_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(system, "is_windows", lambda: True)
    with pytest.raises(PermissionError):
        system.retry(Scanner(1000))
    monkeypatch.setattr(system, "is_windows", lambda: False)
    once = Scanner(1000)
    with pytest.raises(PermissionError):
        system.retry(once)
    assert once.left == 999  # elsewhere the first answer is final


def test_a_lock_waits_for_nobody_where_the_file_system_has_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "no locks")

    if not system.is_windows():
        import fcntl

        monkeypatch.setattr(fcntl, "flock", no_locks)
    with open(tmp_path / "file", "wb") as stream, system.locked(stream):
        stream.write(b"alone")
    assert (tmp_path / "file").read_bytes() == b"alone"


def test_a_process_is_suspended_and_resumed() -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        seen = psutil.Process(process.pid)
        system.suspend(process.pid)
        while seen.status() != psutil.STATUS_STOPPED:
            pass
        system.resume(process.pid)
        while seen.status() == psutil.STATUS_STOPPED:
            pass
        system.kill(process.pid)
        assert process.wait() in (-signal.SIGTERM, -9)


def test_a_process_that_has_ended_is_no_error() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    for do in (system.suspend, system.resume, system.kill):
        do(process.pid)


def test_both_ways_to_list_a_tree_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import subprocess, sys; print(1, flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        trees = []
        for has_proc in (True, False):
            if has_proc and not system.has_proc():
                continue
            monkeypatch.setattr(system, "has_proc", lambda has=has_proc: has)
            trees.append(system.process_tree(os.getpid()))
        process.communicate()
    for tree in trees:
        assert {os.getpid(), process.pid} <= {pid for pid, _ in tree}
        assert all(resident > 0 for pid, resident in tree if pid == process.pid)


def test_signs_that_an_encoding_lacks_are_words(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", stream)
    assert system.can_print("–×µ")
    assert not system.can_print("✓")
    system.print_words_for_signs()
    print("✓ right, ✗ wrong, ü – × µ, a → b, 道")
    stream.flush()
    assert raw.getvalue().decode("cp1252").rstrip() == "ok right, no wrong, ü – × µ, a -> b, ?"


def test_an_encoding_that_has_them_keeps_them(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", stream)
    system.print_words_for_signs()
    print("✓")
    stream.flush()
    assert raw.getvalue().decode().rstrip() == "✓"
