from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hpml.base.child_process import (
    ChildEndedError,
    ChildError,
    ChildProcess,
    ChildTimeoutError,
    with_package,
)
from tests.parts import raises

ECHO = """
import sys
import json
for line in sys.stdin:
    value = json.loads(line)
    if value == "die":
        print("last words", file=sys.stderr, flush=True)
        sys.exit(3)
    print(json.dumps(value), flush=True)
"""
STARTS_ANOTHER = """
import json, subprocess, sys, time
other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
print(json.dumps(other.pid), flush=True)
time.sleep(3600)
"""


PYTHON = f"process {Path(sys.executable).name}"


def child(code: str = ECHO) -> ChildProcess:
    return ChildProcess([sys.executable, "-c", code], environment=with_package())


def wait_until_gone(pid: int) -> None:
    """Wait until a process has ended; one that nobody has waited for yet has."""
    deadline, state = time.monotonic() + 30, ""
    with contextlib.suppress(OSError):
        while state != "Z":
            assert time.monotonic() < deadline
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_values_go_there_and_back_and_prints_do_not_disturb() -> None:
    other = child()
    for value in ({"a": [1, None]}, "ä\n", 1.5):
        other.send(value)
        assert other.receive(30) == value
    other.close()


def test_a_late_answer_is_an_error_and_can_still_be_received() -> None:
    other = child()
    with raises(ChildTimeoutError, object=PYTHON, expected="0.01 s", received="none"):
        other.receive(0.01)
    other.send(1)
    assert other.receive() == 1
    other.close()


def test_an_end_comes_with_exit_code_and_last_words_each_time_it_is_asked() -> None:
    other = child()
    other.send("die")
    for _ in range(2):
        with raises(
            ChildEndedError, object=PYTHON, received="exit code 3", remedy="last words"
        ) as ended:
            other.receive(30)
        assert ended.value.exit_code == 3
        assert pickle.loads(pickle.dumps(ended.value)).exit_code == 3
        other.send("anyone?")
    other.close()
    with raises(ChildEndedError, object=PYTHON, received="closed") as closed:
        other.receive(30)
    assert closed.value.exit_code is None


def test_what_is_no_line_of_json_is_shown() -> None:
    other = child("print('loading', flush=True); input()")
    with raises(ChildError, object=PYTHON, expected="JSON", received="loading"):
        other.receive(30)
    other.close()


def test_a_line_that_is_too_long_is_refused() -> None:
    other = ChildProcess([sys.executable, "-c", "print('1' * 100, flush=True)"], longest=50)
    with raises(ChildError, object=PYTHON, expected="50 bytes", received="longer"):
        other.receive(30)
    other.close()


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
@pytest.mark.parametrize("way", ["close", "kill", "vanish"])
def test_its_end_is_the_end_of_all_that_it_started(way: str) -> None:
    other = child(STARTS_ANOTHER)
    pids = (other.pid, other.receive(30))
    if way == "close":
        other.close()
    elif way == "kill":
        other.kill()
        with raises(ChildEndedError, object=PYTHON, received=f"exit code {-signal.SIGKILL}"):
            other.receive(30)
    del other
    for pid in pids:
        wait_until_gone(pid)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_parent_that_is_killed_ends_the_childs_input() -> None:
    code = f"""
import os, signal, sys
from hpml.base.child_process import ChildProcess
other = ChildProcess([sys.executable, "-c", {ECHO!r}])
other.send(1)
other.receive(30)
print(other.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=with_package(),
        check=False,
    )
    wait_until_gone(int(done.stdout))
