"""Programs to profile: each has one function worth fixing, and a misleading one."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from hpml.base.page import Page, show_code
from hpml.course.lesson.errors import LabError
from hpml.course.this_run import quick

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel


class Known:
    """Count the words that are new; one function searches a list, the other takes a slice."""

    def __init__(self, words: int) -> None:
        self.words = [f"visitor {n * n % 1009}" for n in range(words)]

    def count(self) -> int:
        seen: list[str] = []
        for word in self.words:
            if not self.known(word, seen):
                seen.append(word)
            self.clean(word)
        return len(seen)

    def known(self, word: str, seen: list[str]) -> bool:
        return word in seen

    def clean(self, word: str) -> str:
        return word[:8]


class Visitors:
    """List visitors by their first visit; the most calls are of one small function."""

    def __init__(self) -> None:
        self.lines = [f"12:00; visitor {n * n % 4001}\n" for n in range(2000 if quick() else 3000)]

    def run(self) -> list[str]:
        names = [self.parse(line) for line in self.lines]
        return self.report(self.first_visits(names))

    def parse(self, line: str) -> str:
        return line.partition(";")[2].strip()

    def first_visits(self, names: list[str]) -> list[str]:
        seen: list[str] = []
        for name in names:
            if name not in seen:
                seen.append(name)
        return seen

    def report(self, names: list[str]) -> list[str]:
        return [f"{place}: {name.title()}" for place, name in enumerate(names, start=1)]


class Robot:
    """A robot that copies its board at each step; a library has the longest times."""

    def __init__(self) -> None:
        self.size, self.steps = 8, 50 if quick() else 400

    def run(self) -> int:
        board = [[0] * self.size for _ in range(self.size)]
        past = []
        for step in range(self.steps):
            row, column = self.position(step)
            board[row][column] += 1
            past.append(self.remember(board))
        return sum(self.visited(board) for board in past)

    def position(self, step: int) -> tuple[int, int]:
        return 3 * step % self.size, 5 * step % self.size

    def remember(self, board: list[list[int]]) -> list[list[int]]:
        return copy.deepcopy(board)

    def visited(self, board: list[list[int]]) -> int:
        return sum(1 for row in board for count in row if count)


class FixedRobot(Robot):
    """The robot without `deepcopy`."""

    def remember(self, board: list[list[int]]) -> list[list[int]]:
        copied = []
        for row in board:
            copied.append(row[:])
        return copied


class Change:
    """Count the ways to pay amounts with coins; one function is recursive, another sorts."""

    def __init__(self) -> None:
        self.amounts = [59, 41, 67, 38, 53]  # 10 ms, so that one interruption changes little

    def run(self) -> list[tuple[int, int]]:
        found = [(amount, self.ways(amount, (20, 10, 5, 2, 1))) for amount in self.amounts]
        return self.ranked(found)

    def ways(self, amount: int, coins: tuple[int, ...]) -> int:
        if amount == 0 or len(coins) == 1:
            return 1
        used = self.ways(amount - coins[0], coins) if amount >= coins[0] else 0
        return used + self.ways(amount, coins[1:])

    def ranked(self, found: list[tuple[int, int]]) -> list[tuple[int, int]]:
        return sorted(found, key=self.largest_first)

    def largest_first(self, pair: tuple[int, int]) -> int:
        return -pair[1]


PROGRAMS: tuple[type[Any], ...] = (Visitors, Robot, Change)


def functions_of(program: type[Any]) -> set[str]:
    """Return the qualified names of a program's functions, as in a trace."""
    return {value.__qualname__ for name, value in vars(program).items() if name[0] != "_"}


def if_free(program: type[Any], function: str) -> Any:
    """Return a program in which one function returns its recorded results without computing."""
    name = function.rpartition(".")[2]
    original = getattr(program, name)
    answers: list[Any] = []
    inside = 0

    def noted(self: Any, *arguments: Any) -> Any:
        nonlocal inside
        inside += 1
        answer = original(self, *arguments)
        inside -= 1
        if not inside:  # recursive calls do not happen in the free version
            answers.append(answer)
        return answer

    class Free(program):  # type: ignore[misc]
        left: Iterator[Any]

        def run(self) -> Any:
            self.left = iter(answers)
            return super().run()

    type(f"Noted{program.__name__}", (program,), {name: noted})().run()
    if name == "run":
        raise LabError(
            f"{function} calls all the others, so it is the program itself.",
            object=function,
            expected="a function of the program",
            received="the program itself",
            remedy="Name one of the functions that it calls.",
        )
    setattr(Free, name, lambda self, *_: next(self.left))
    return Free()


def loop_in_calls(turns: int, in_each: int) -> Callable[[], None]:
    """Return a loop of `turns` iterations, split into calls of `in_each` iterations."""

    def turn(times: int) -> None:
        for _ in range(times):
            pass

    def program() -> None:
        for _ in range(turns // in_each):
            turn(in_each)

    return program


def classifier() -> SymbolicModel:
    """Return eight linear layers of 32 features, each with a softmax."""
    from torch import nn

    from hpml.symbolic import Input, SymbolicModel

    x = inputs = Input(shape=(32,))
    for _ in range(8):
        x = nn.Softmax(dim=1)(nn.Linear(32, 32)(x))
    return SymbolicModel(inputs, x)


def run_with(variable: str, value: str, source: str) -> Page:
    """Run a program in a new process with an environment variable, and show its output."""
    changed = os.environ | {variable: value, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", source], env=changed, capture_output=True, text=True, timeout=120
    )
    return show_code(done.stdout + done.stderr, f'{variable}="{value}" python program.py')
