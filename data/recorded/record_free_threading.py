"""Record lab 02's two threads with and without the lock.

    python data/recorded/record_free_threading.py FREE_THREADED REGULAR

Both arguments are interpreters that were built from one source with the same settings, one of
them also with ``--disable-gil``. They are started in turns, so that slow changes of the machine
meet all alike. The file goes to the folder of this script. On a machine that runs other programs,
put ``chrt -f 10`` before the command.
"""

# ruff: noqa: D103 - the functions are those of the notebook, word for word

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

from hpml.base import environment_record
from hpml.base.files import write_atomically
from hpml.course.labs.lab_02_bytecode.unlocked import RECORDING, program, run

COMMAND = "python data/recorded/record_free_threading.py"
PROCESSES, ROUNDS = 25, 4
counter = [0]


def share(n):  # type: ignore[no-untyped-def]
    while n:
        n -= 1


def two_threads(n):  # type: ignore[no-untyped-def]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(share, [n, n]))


def add(n):  # type: ignore[no-untyped-def]
    for _ in range(n):
        counter[0] += 1


def two_adders(n):  # type: ignore[no-untyped-def]
    counter[0] = 0
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(add, [n, n]))
    return counter[0] / (2 * n)


def add_to(counter, n):  # type: ignore[no-untyped-def]
    for _ in range(n):
        counter[0] += 1


def add_alone(n):  # type: ignore[no-untyped-def]
    add_to([0], n)


def own_lists(n):  # type: ignore[no-untyped-def]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(add_alone, [n, n]))


def one_list(n):  # type: ignore[no-untyped-def]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(add_to, [[0]] * 2, [n, n]))


ADD_TO = inspect.getsource(add_to)
PROGRAMS = {
    "share": (program(share, two_threads), 300_000),
    "add": (program(add, two_adders, "counter = [0]"), 100_000),
    "own lists": (program(add_alone, own_lists, ADD_TO), 100_000),
    "one list": (program(add_alone, one_list, ADD_TO), 100_000),
}


def record(free: str, regular: str) -> dict[str, Any]:
    """Return what both interpreters did, and the machine."""
    commands = {"on": [free, "-X", "gil=1"], "off": [free, "-X", "gil=0"], "regular": [regular]}
    found: dict[str, dict[str, list[dict[str, Any]]]] = {
        name: {state: [] for state in commands} for name in PROGRAMS
    }
    for _ in range(PROCESSES):
        for name, (source, n) in PROGRAMS.items():
            for state, command in commands.items():
                found[name][state].append(run(command, source, n, ROUNDS))
    machine = environment_record()
    one = {
        state: [round(median(each["samples"][0]), 7) for each in found["share"][state]]
        for state in commands
    }
    return {
        "_about": "Two threads in a free-threaded Python with its lock on and off, for lab 02. "
        "Shown, marked as recorded, where there is none.",
        "command": f"chrt -f 10 {COMMAND} python3.13t python3.13",
        "built": _built(free),
        "machine": f"{machine['cpu']}, {machine['logical_cores']} cores",
        "runs": {
            name: [_joined(states["on"]), _joined(states["off"])] for name, states in found.items()
        },
        "seconds of one thread, by process": one,
    }


def _joined(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the runs of one program in several processes as one."""
    samples = [
        [round(seconds, 7) for each in runs for seconds in each["samples"][k]] for k in range(2)
    ]
    returned = [value for each in runs for value in each["returned"]]
    return {**runs[0], "samples": samples, "returned": returned}


def _built(python: str) -> str:
    code = "import sys, sysconfig; print(sys.version, sysconfig.get_config_var('CONFIG_ARGS'))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return " ".join(word for word in done.stdout.split() if "prefix" not in word)


if __name__ == "__main__":
    target = Path(__file__).with_name(f"{RECORDING}.json")
    write_atomically(target, json.dumps(record(*sys.argv[1:]), indent=1) + "\n")
