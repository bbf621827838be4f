"""The student's slow script: written once, shown, profiled and raced."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from hpml.base.files import write_atomically
from hpml.base.page import Page, notebook_shell, show_code
from hpml.course.files import results_folder
from hpml.course.labs.lab_15_capstone.exercises import SIZES
from hpml.course.labs.lab_15_capstone.harness import waves
from hpml.course.labs.lab_15_capstone.scripts import HELPERS, KINDS, TABLES, script, seed_of
from hpml.course.lesson.errors import AnswerError
from hpml.course.this_run import quick
from hpml.profiling import FunctionProfile, profile


@dataclass(frozen=True)
class Script:
    """A student's slow script."""

    student: str
    seed: int
    text: str
    path: Path
    kind: str = "network"
    nickname: str = ""  # what the class's table calls it

    @property
    def table(self) -> str:
        """The name of the function that makes the table."""
        return TABLES[self.kind]

    @property
    def batch_size(self) -> int:
        """The number of signals in a batch, in profiles and races."""
        return int(SIZES[self.kind]["batch_size"])

    @property
    def target(self) -> float:
        """The target of the challenge, in times as fast."""
        return {"network": 5.0, "transformer": 4.0}[self.kind]

    @property
    def problem(self) -> dict[str, Any]:
        """The arguments of ``train`` for profiling and racing."""
        return waves({**SIZES[self.kind], "seed": 15, "drawn": 15})

    def operators(self, train: Callable[..., Any] | None = None) -> Counter[str]:
        """Return how often one step calls each operator of PyTorch, with the backward pass."""
        return operators_of_a_step(train or self.train, SIZES[self.kind])

    @functools.cached_property
    def train(self) -> Callable[..., Any]:
        """The unchanged function ``train``."""
        return self.with_cached()

    def with_cached(self, *functions: str) -> Callable[..., Any]:
        """Return ``train`` with some functions of the script cached."""
        names: dict[str, Any] = {"__name__": f"script_{self.seed}"}
        exec(compile(self.text, str(self.path), "exec"), names)
        names |= {name: functools.cache(names[name]) for name in functions}
        train: Callable[..., Any] = names["train"]
        return train

    def profile(self, train: Callable[..., Any] | None = None) -> FunctionProfile:
        """Return the profile of three warm runs of a version, by default of the original."""
        run, given = train or self.train, self.problem
        run(**given)

        def runs() -> Any:
            return [run(**given) for _ in range(1 if quick() else 3)][-1]

        return profile(runs)

    def shares(self, found: FunctionProfile) -> dict[str, float]:
        """Return the share of a profile in each function; of ``train`` only its own time."""
        wanted = (*HELPERS[self.kind], "grad", "backward", "step")
        shares = {"train, its own": 0.0}
        started = next((key for key in found.stats if key[2] == "train"), None)
        for key, (_, _, own, total, _) in found.stats.items():
            file, line, name = key
            # Before Python 3.12 a comprehension is a separate function.
            inside = started and file == started[0] and line >= started[1]
            if name in wanted:
                shares[name] = max(shares.get(name, 0.0), total / found.seconds)
            elif key == started or (inside and name in ("<listcomp>", "<genexpr>")):
                shares["train, its own"] += own / found.seconds
        return dict(sorted(shares.items(), key=lambda each: -each[1]))

    def show(self) -> Page:
        """Return the script as it is shown in the notebook."""
        return show_code(self.text, f"{self.path.name}, seed {self.seed}")


def own_script(student: str, kind: str = "network", nickname: str = "") -> Script:
    """Return a student's script, and write it to their results folder if it does not exist.

    Raises:
        AnswerError: if there is no such kind of script.
    """
    if kind not in KINDS:
        raise AnswerError(
            object="The script",
            expected=" or ".join(map(repr, KINDS)),
            received=repr(kind),
            remedy="Choose one of these in the call of own_script.",
        )
    seed = seed_of(student)
    path = results_folder() / "capstone" / f"slow_{kind}_{seed}.py"
    text = script(seed, kind=kind)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
    return Script(student, seed, text, path, kind, " ".join(nickname.split()))


def operators_of_a_step(train: Callable[..., Any], sizes: Mapping[str, Any]) -> Counter[str]:
    """Return how many more operators two steps call than one."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Counting(TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __init__(self) -> None:
            super().__init__()  # type: ignore[no-untyped-call]
            self.calls: Counter[str] = Counter()

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            self.calls[func.overloadpacket.__name__] += 1
            return func(*args, **(kwargs or {}))

    counted: list[Counter[str]] = []
    for steps in (1, 2):
        count = steps * sizes["batch_size"]
        counting = Counting()
        with counting:
            train(**waves({**sizes, "count": count, "epochs": 1, "seed": 15, "drawn": 15}))
        counted.append(counting.calls)
    one, two = counted
    two.subtract(one)
    return +two


def into_next_cell(given: Script) -> None:
    """Insert the script into a new cell below, in a notebook."""
    shell = notebook_shell()
    if shell is not None:
        shell.set_next_input(
            given.text.partition('\n\nif __name__ == "__main__"')[0].strip() + "\n"
        )


def frozen(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a copy of a function that keeps using the current helpers if they are redefined."""
    if not isinstance(function, FunctionType):
        return function
    before = function.__globals__
    names = dict(before)

    def copies(functions: Mapping[str, Any]) -> dict[str, Any]:
        found = {}
        for name, each in functions.items():
            if isinstance(each, FunctionType) and each.__globals__ is before:
                code, defaults, cells = each.__code__, each.__defaults__, each.__closure__
                found[name] = FunctionType(code, names, each.__name__, defaults, cells)
                found[name].__kwdefaults__ = each.__kwdefaults__
        return found

    names |= copies(before)
    for name, value in before.items():
        if isinstance(value, type) and value.__module__ == function.__module__:
            names[name] = type(name, (value,), copies(vars(value)))
    copy: Callable[..., Any] = copies({"it": function})["it"]
    return copy
