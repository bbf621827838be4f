"""Measure contenders in several fresh processes each, in turns.

What differs between processes and not within one, such as the seed of hashes and the addresses of
the program, cannot be seen from one process. So each contender gets a new process several times.
The processes of one group are alive together and take samples in turns, one at a time, so that slow
changes of the machine affect all contenders equally.
"""

from __future__ import annotations

import base64
import io
import pickle
import statistics
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any

from hpml.base.child_process import (
    ChildEndedError,
    ChildProcess,
    ChildTimeoutError,
    python_module,
    with_package,
)
from hpml.base.environment import environment_record
from hpml.base.errors import describe
from hpml.benchmark.errors import BenchmarkError, ContenderError
from hpml.benchmark.measurement import Measurement
from hpml.benchmark.sampling.timing import Settings

Contender = Callable[[], object] | str
"""A function without arguments, or source text."""

_POLL = 0.5
"""Seconds between looks for an interrupt while a process works."""


def messages_of(contenders: Mapping[str, Contender], setup: str) -> dict[str, dict[str, str]]:
    """Return what a fresh process needs to make each contender, or raise a BenchmarkError."""
    return {name: _message(name, contender, setup) for name, contender in contenders.items()}


def _message(name: str, contender: Contender, setup: str) -> dict[str, str]:
    if isinstance(contender, str):
        for what, text in ((f"contender {name!r}", contender), ("setup", setup)):
            try:
                compile(text, "<contender>", "exec")
            except SyntaxError as error:
                raise BenchmarkError(
                    object=what,
                    expected="source text of Python",
                    received=describe(text),
                    remedy=f"Correct it: {error.msg}, line {error.lineno}.",
                ) from error
        return {"source": contender, "setup": setup}
    stream = io.BytesIO()
    try:
        _Pickler(stream).dump(contender)
    except Exception as error:  # a foreign __reduce__ may raise anything
        raise BenchmarkError(
            object=f"contender {name!r}",
            expected="what a fresh process can make: a function of an imported module, a "
            "functools.partial of one, or source text",
            received=f"{describe(contender)}, which cannot be sent ({describe(str(error), 100)})",
            remedy="Pass its source as text, with what it needs in setup, as for timeit: "
            f"compare({{{name!r}: 'f(x)'}}, setup='from my_module import f, x', processes=5); or "
            "write it to a file and import it.",
        ) from error
    return {"pickled": base64.b64encode(stream.getvalue()).decode("ascii")}


class _Pickler(pickle.Pickler):
    """Refuses what pickle sends by name although a fresh process does not have it."""

    def reducer_override(self, value: Any) -> Any:
        named = isinstance(value, (type, types.FunctionType))
        if named and value.__module__ in ("__main__", "__mp_main__"):
            raise pickle.PicklingError(f"{value.__qualname__} is defined in the program itself")
        return NotImplemented


class Child:
    """A contender in a fresh process."""

    def __init__(self, name: str) -> None:
        self.name = name
        environment = with_package()
        # Otherwise all processes would have the seed of hashes that this one was started with.
        environment.pop("PYTHONHASHSEED", None)
        command = python_module("hpml.benchmark.sampling.child")
        self._process = ChildProcess(command, environment=environment)

    def tell(self, do: str, **values: Any) -> None:
        """Send a message."""
        self._process.send({"do": do, **values})

    def answer(self) -> Any:
        """Return the answer to the last message."""
        while True:
            try:
                found = self._process.receive(_POLL)
                break
            except ChildTimeoutError:  # Windows notices Ctrl-C only between two waits
                continue
            except ChildEndedError as error:
                raise ContenderError(
                    object=f"contender {self.name!r}",
                    expected="a function that returns",
                    received=f"one that ended its process with exit code {error.exit_code}",
                    remedy=f"Call it once in this process. {error.remedy}",
                ) from error
        if "error" in found:
            kind = "" if found["kind"] in ("BenchmarkError",) else f"{found['kind']}: "
            raise ContenderError(
                object=f"contender {self.name!r}",
                expected="a call that succeeds",
                received=f"{kind}{found['error']}",
                remedy="Call it once in this process to see the whole traceback.",
            )
        return found["value"]

    def ask(self, do: str, **values: Any) -> Any:
        """Send a message and return the answer."""
        self.tell(do, **values)
        return self.answer()

    def close(self) -> None:
        self._process.close()


def sample_in_processes(
    messages: Mapping[str, Mapping[str, str]],
    orders: Iterable[tuple[int, ...]],
    *,
    processes: int,
    rounds: int,
    settings: Settings,
    same_calls: Callable[[Mapping[str, tuple[int, float, int]]], Mapping[str, int]],
    check: Callable[[Mapping[str, object]], None] | None = None,
) -> list[Measurement]:
    """Return the measurements of all complete groups of processes, at least one.

    Args:
        messages: from `messages_of`.
        orders: the order of the contenders in each round, of all groups.
        processes, rounds: the number of groups, and the rounds of each.
        same_calls: returns the calls per sample of each contender, from what it chose itself.
        check: raises if the results of the contenders differ; called once.
    """
    groups: list[list[list[float]]] = []
    ends: list[list[dict[str, Any]]] = []
    numbers: Mapping[str, int] = {}
    warm_ups: dict[str, int] = {}
    remaining = iter(orders)
    plain = {key: value for key, value in asdict(settings).items() if key != "clock"}
    try:
        for group in range(processes):
            with ExitStack() as closing:
                children = []
                for name in messages:
                    child = Child(name)
                    closing.callback(child.close)
                    children.append(child)
                for child in children:
                    child.tell("prepare", path=sys.path, settings=plain, **messages[child.name])
                for child in children:
                    child.answer()
                if group == 0 and check is not None:
                    check(
                        {c.name: pickle.loads(base64.b64decode(c.ask("result"))) for c in children}
                    )
                for child in children:
                    child.ask("warm_up")
                if group == 0:
                    chosen = {child.name: child.ask("choose") for child in children}
                    numbers = same_calls(chosen)
                    warm_ups = {n: settings.warm_up + c[2] for n, c in chosen.items()}
                else:
                    for child in children:  # fills the caches, as `choose` did in the first group
                        child.ask("sample", number=numbers[child.name])
                groups.append(_rounds(children, numbers, remaining, rounds))
                ends.append([c.ask("finish", number=numbers[c.name]) for c in children])
    except KeyboardInterrupt as error:
        # A subclass is the deadline of a caller, who handles it.
        if not ends or type(error) is not KeyboardInterrupt:
            raise
    complete = groups[: len(ends)]
    environment = environment_record(threads=settings.threads, device=settings.device)
    return [
        Measurement(
            name,
            tuple(times[index] for group_times in complete for times in group_times),
            number=numbers[name],
            warm_up=warm_ups[name],
            device=settings.device,
            threads=settings.threads,
            environment=environment,
            first=_median(ends, index, "first") if settings.warm_up < 2 else 0.0,
            changed=any(end[index]["changed"] for end in ends),
            collector=settings.collector,
            collecting=_median(ends, index, "collecting"),
            processes=len(complete),
        )
        for index, name in enumerate(messages)
    ]


def _rounds(
    children: Sequence[Child],
    numbers: Mapping[str, int],
    orders: Iterable[tuple[int, ...]],
    rounds: int,
) -> list[list[float]]:
    """Return the seconds per call of each child in each round."""
    found: list[list[float]] = []
    for _, order in zip(range(rounds), orders, strict=False):
        times = [0.0] * len(children)
        for index in order:
            child = children[index]
            times[index] = child.ask("sample", number=numbers[child.name])
        found.append(times)
    return found


def _median(ends: Sequence[Sequence[Mapping[str, float]]], index: int, key: str) -> float:
    return statistics.median(end[index][key] for end in ends)
