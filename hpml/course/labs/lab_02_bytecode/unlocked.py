"""The same two threads with and without the global interpreter lock, each in a fresh interpreter.

A free-threaded build switches its lock off and on at start: ``-X gil=0`` and ``-X gil=1``. So the
two measurements differ in the lock alone.
"""

from __future__ import annotations

import inspect
import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from hpml.base import style
from hpml.base.charts import show
from hpml.base.page import Page
from hpml.base.tables import Table
from hpml.benchmark import Comparison, Measurement, Ratio
from hpml.course.files import recorded
from hpml.course.labs.lab_02_bytecode.dumbbells import Dumbbell, dumbbells
from hpml.course.lesson.errors import LabError

VARIABLE = "HPML_FREE_THREADED"
NAMES = ("python3.15t", "python3.14t", "python3.13t")
RECORDING = "free_threading"
HOW_TO_GET_ONE = (
    "The installers of python.org offer one as an option; from source, `./configure --disable-gil` "
    f"builds one. It is found as `{NAMES[1]}` on the path, or by its path in the environment "
    f"variable `{VARIABLE}`. It needs no packages."
)

# Runs after the text of both functions, in an interpreter that has the standard library alone.
_IMPORT = "from concurrent.futures import ThreadPoolExecutor"
_TIMER = """
import json, platform, random, sys, time

def seconds(function, n):
    start = time.perf_counter()
    function(n)
    return time.perf_counter() - start

n, rounds = map(int, sys.argv[1:])
names = [{names}]
samples = {{name: [] for name in names}}
for number in range(-2, rounds):
    for name in random.sample(names, 2):
        took = seconds(globals()[name], n)
        if number >= 0:
            samples[name].append(took)
found = {{"python": platform.python_version(), "samples": [samples[name] for name in names]}}
found["lock"] = getattr(sys, "_is_gil_enabled", lambda: True)()
found["returned"] = [globals()[names[1]](n) for _ in range(3)]
print(json.dumps(found))
"""


@dataclass(frozen=True)
class Threads:
    """Two threads' time as a multiple of one thread's, in one interpreter."""

    python: str
    lock: bool
    ratio: Ratio
    returned: tuple[float, ...] = ()  # what the function with two threads returned, if anything

    @property
    def name(self) -> str:
        """The version, and whether the lock was on."""
        return f"Python {self.python}, lock {'on' if self.lock else 'off'}"


@dataclass(frozen=True)
class WithAndWithout:
    """Two threads under the lock of this Python, and in a free-threaded build."""

    here: Threads
    free: tuple[Threads, ...]  # the same build with its lock on and off
    recorded_on: str = ""  # the machine of `free`, if it was recorded elsewhere

    @property
    def locked(self) -> Ratio:
        """The ratio with the lock: this Python's, unless it has none."""
        return (self.here if self.here.lock else self.free[0]).ratio

    @property
    def unlocked(self) -> Ratio:
        """The ratio without the lock."""
        return self.free[-1].ratio

    @property
    def kept(self) -> float:
        """The median of what two threads returned without the lock."""
        return median(self.free[-1].returned)

    @property
    def unsure(self) -> str:
        """Why a prediction cannot be scored; empty if the result was measured here."""
        if self.recorded_on:
            return "it was recorded on another machine, not measured here"
        if not self.free[-1].returned and self.unlocked.value > 1.5:
            return "the cores probably had other work"
        return ""

    @property
    def named(self) -> dict[str, Threads]:
        """Each interpreter's result by its name."""
        mark = " (recorded)" if self.recorded_on else ""
        free = {f"Free-threaded {each.name}{mark}": each for each in self.free}
        return {f"This {self.here.name}": self.here, **free}

    def draw(self) -> Page:
        """Draw the ratios between side by side (1) and one after the other (2)."""
        rows = {
            name: Dumbbell(each.ratio) if each.lock else Dumbbell(each.ratio, style.ACCENT, "D")
            for name, each in self.named.items()
        }
        text = "Below a mark: 95 % interval. Diamond: without the lock."
        if self.recorded_on:
            text += f" Recorded on {self.recorded_on}."
        x, title = "time, where one thread with one share takes 1", "Two threads with a share each"
        return show(dumbbells(rows, title=title, x=x), caption=text)

    def note(self) -> str:
        """Say how to get a free-threaded build, if none was found here, and what one costs."""
        found = f"The free-threaded Python is `{find_free_threaded()}`."
        if self.recorded_on:
            found = f"**No free-threaded Python was found here.** {HOW_TO_GET_ONE}"
        elif self.unsure:
            off = read_threads(recorded(RECORDING)["runs"]["share"][-1]).ratio.shown
            found += (
                " Without a lock two threads should be nearer to 1 than to 2. They were not, so "
                "the cores probably had other work: run the cell again on a less busy machine. "
                f"The recorded result is {off}."
            )
        return f"{found}\n\n{price()}"

    def returned(self, column: str) -> Table:
        """Return what two threads returned in each interpreter, beside their time."""
        rows = [
            [name, f"{each.ratio.shown} ×", median(each.returned)]
            for name, each in self.named.items()
        ]
        return Table(["", "time of two threads", column], rows, formats={column: "{:.0%}".format})


def find_free_threaded() -> str | None:
    """Return the path of a free-threaded Python, or None."""
    wanted = os.environ.get(VARIABLE)
    return shutil.which(wanted) if wanted else next(filter(None, map(shutil.which, NAMES)), None)


def with_and_without_lock(
    one: Callable[[int], object],
    two: Callable[[int], object],
    n: int = 300_000,
    *,
    rounds: int = 75,
    before: str = "",
) -> WithAndWithout:
    """Time two functions here, and in a free-threaded Python with its lock on and off.

    Args:
        one: a function of `n`, for one thread.
        two: a function of `n` that gives a share to each of two threads.
        n: the size of a share.
        rounds: interleaved rounds in each interpreter.
        before: a line that both functions need, besides the import of ThreadPoolExecutor.

    Raises:
        LabError: if an interpreter could not run them.
    """
    source = program(one, two, before)
    here = read_threads(run([sys.executable], source, n, rounds))
    found = find_free_threaded()
    if found is None:
        data = recorded(RECORDING)
        free = tuple(map(read_threads, data["runs"][one.__name__]))
        return WithAndWithout(here, free, data["machine"])
    commands = [found, "-X", "gil=1"], [found, "-X", "gil=0"]
    free = tuple(read_threads(run(command, source, n, rounds)) for command in commands)
    return WithAndWithout(here, free)


def program(one: Callable[..., object], two: Callable[..., object], before: str = "") -> str:
    """Return the program that times both functions, as text."""
    texts = [textwrap.dedent(inspect.getsource(function)) for function in (one, two)]
    names = ", ".join(repr(function.__name__) for function in (one, two))
    return "\n\n".join([_IMPORT, before, *texts, _TIMER.format(names=names)])


def run(command: Sequence[str], source: str, n: int, rounds: int) -> dict[str, Any]:
    """Run the program in a fresh interpreter, without any packages, and return what it found."""
    call = [*command, "-I", "-S", "-c", source, str(n), str(rounds)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError(
            object=f"Python started by {command[0]}",
            expected="the times of both functions",
            received=(done.stderr.strip() or f"exit code {done.returncode}")[-500:],
            remedy="Both functions may use only each other, ThreadPoolExecutor and builtins. If "
            f"{VARIABLE} is set, it must name a free-threaded Python.",
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def price() -> str:
    """Say how much longer one thread took in the free-threaded build that was recorded."""
    data = recorded(RECORDING)
    seconds = data["seconds of one thread, by process"]
    names = ("regular", "off")
    regular, free = (
        Measurement(name, tuple(seconds[name]), number=len(seconds[name])) for name in names
    )
    compared = Comparison((regular, free), baseline="regular", asked_rounds=len(regular.samples))
    python = data["runs"]["share"][-1]["python"]
    return (
        f"Recorded on {data['machine']}: one thread took {compared.ratio('off').with_interval} "
        f"times as long in Python {python} built free-threaded as in the regular build of the "
        "same source."
    )


def read_threads(found: Mapping[str, Any]) -> Threads:
    """Return a result from what the program printed."""
    one, two = (
        Measurement(name, tuple(samples), number=1)
        for name, samples in zip(("one thread", "two threads"), found["samples"], strict=True)
    )
    compared = Comparison((one, two), baseline=one.name, asked_rounds=len(one.samples))
    returned = tuple(each for each in found["returned"] if each is not None)
    return Threads(found["python"], found["lock"], compared.ratio(two.name), returned)
