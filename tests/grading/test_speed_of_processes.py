"""Time, measured between real processes: what is slow, what lies, what stops the other side."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from hpml.grading.isolation import processes
from hpml.grading.report import Item
from hpml.grading.speed import _frozen
from hpml.grading.submission import grade
from tests.grading.handed_in import hand_in

ORDERED = """
def ordered_forward(order, parents, operations, inputs, output):
    known = dict(inputs)
    for name in order:
        known[name] = operations[name](*[known[each] for each in parents[name]])
    return known[output]
"""
# Right, and a hundred times as much work: it stays behind however busy the machine is.
SLOW = """
def ordered_forward(order, parents, operations, inputs, output):
    if len(order) > 2000:
        for _ in range(100):
            known = [sum(range(10)) for name in order]
    known = dict(inputs)
    for name in order:
        known[name] = operations[name](*[known[each] for each in parents[name]])
    return known[output]
"""


def _graded(tmp_path: Path, *cells: str) -> Item:
    folder = hand_in(tmp_path / "one", *cells)
    return grade(folder, names=["ordered_forward"], seed=3)["ordered_forward"]


def test_a_plain_solution_is_measured(tmp_path: Path) -> None:
    item = _graded(tmp_path, ORDERED)
    assert item.parts["right"] == 2, item.text
    assert 0 <= item.parts["speed"] <= 1
    assert item.earned == sum(item.parts.values())


def test_a_slow_one_loses_the_points_for_time(tmp_path: Path) -> None:
    item = _graded(tmp_path, SLOW)
    assert (dict(item.parts), item.status) == ({"right": 2, "speed": 0}, "partly right")
    assert "none from 4.00×" in item.text


def test_a_wrong_one_is_not_measured(tmp_path: Path) -> None:
    item = _graded(tmp_path, "def ordered_forward(*arguments, **named):\n    return 1")
    assert item.earned == 0
    assert "Its time was not measured" in item.text


def _attacking(attack: str, solution: str = SLOW) -> str:
    body = "\n".join(f"    {line}" for line in attack.strip().splitlines())
    return f"def attack():\n{body}\n\n@lambda f: (attack(), f)[1]\n{solution.strip()}"


def test_saying_done_before_the_work_gains_nothing(tmp_path: Path) -> None:
    attack = """
import sys
frame = sys._getframe()
while "Refusing" not in frame.f_globals:
    frame = frame.f_back
Worker = frame.f_globals["Worker"]
def time(self, question):
    number = question["id"]
    self._channel.send({"id": number, "ready": True})
    self._channel.receive()
    self._channel.send({"id": number, "done": True})
    outcomes = [self._outcome(question, data) for data in question["cases"]]
    self._channel.send({"id": number, "outcomes": outcomes})
Worker._time = time
"""
    item = _graded(tmp_path, _attacking(attack))
    assert dict(item.parts) == {"right": 2, "speed": 0}, item.text
    assert "worked before or after the time of its calls" in item.text


def test_saying_ready_after_the_work_gains_nothing(tmp_path: Path) -> None:
    attack = """
import sys
frame = sys._getframe()
while "Refusing" not in frame.f_globals:
    frame = frame.f_back
Worker = frame.f_globals["Worker"]
def time(self, question):
    number = question["id"]
    outcomes = [self._outcome(question, data) for data in question["cases"]]
    self._channel.send({"id": number, "ready": True})
    self._channel.receive()
    self._channel.send({"id": number, "done": True})
    self._channel.send({"id": number, "outcomes": outcomes})
Worker._time = time
"""
    item = _graded(tmp_path, _attacking(attack))
    assert dict(item.parts) == {"right": 2, "speed": 0}, item.text
    assert "worked before or after the time of its calls" in item.text


def test_results_that_are_made_up_are_found(tmp_path: Path) -> None:
    attack = """
import sys
frame = sys._getframe()
while "Refusing" not in frame.f_globals:
    frame = frame.f_back
Worker = frame.f_globals["Worker"]
def time(self, question):
    number = question["id"]
    self._channel.send({"id": number, "ready": True})
    self._channel.receive()
    self._channel.send({"id": number, "done": True})
    self._channel.send({"id": number, "outcomes": [{"outcome": "right"}]})
Worker._time = time
"""
    item = _graded(tmp_path, _attacking(attack))
    assert dict(item.parts) == {"right": 2, "speed": 0}, item.text
    assert "A result was wrong while time was measured" in item.text


def test_stopping_the_other_side_is_noticed(tmp_path: Path) -> None:
    solution = """
def ordered_forward(order, parents, operations, inputs, output):
    import os, signal
    if len(order) > 2000:
        for name in os.listdir("/proc"):
            try:
                text = open(f"/proc/{name}/stat").read()
                if int(text.rpartition(")")[2].split()[1]) == os.getppid():
                    if int(name) != os.getpid():
                        os.kill(int(name), signal.SIGSTOP)
            except (OSError, ValueError, IndexError):
                pass
    known = dict(inputs)
    for name in order:
        known[name] = operations[name](*[known[each] for each in parents[name]])
    return known[output]
"""
    item = _graded(tmp_path, solution)
    assert item.parts["speed"] == 0
    assert "It stopped the process that it is compared with" in item.text


def test_all_others_are_stopped_while_one_works() -> None:
    loop = [sys.executable, "-c", "while True: pass"]
    with subprocess.Popen(loop) as one, subprocess.Popen(loop) as other:
        with _frozen(one.pid):
            states = {pid: processes()[pid].state for pid in (one.pid, other.pid)}
        assert states[one.pid] != "T"
        assert states[other.pid] == "T"
        while processes()[other.pid].state == "T":
            os.sched_yield()
        one.kill()
        other.kill()
