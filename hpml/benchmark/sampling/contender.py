"""A contender: a name and what to run, before anything has been measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from hpml.base.errors import describe
from hpml.benchmark.errors import BenchmarkError, function, text
from hpml.benchmark.sampling.timing import LocalSampler, Sampler, Settings


class AnyContender(Protocol):
    """What `compare` accepts: a name, and a way to begin taking samples."""

    @property
    def name(self) -> str:
        """How tables and pictures call it."""

    def open(self, settings: Settings) -> Sampler:
        """Get ready to take samples."""


@dataclass(frozen=True)
class Contender:
    """Code that is measured in this process.

    Attributes:
        name: how tables and pictures call it.
        run: called without arguments, its result is dropped.
        synchronise: waits for work that `run` only starts, called before each reading of the
            clock. None is right on the CPU, and on CUDA, where the device is waited for.

    Raises:
        BenchmarkError: if `run` cannot be called, or the name is empty.

    >>> Contender("sum", lambda: sum(range(100)))  # doctest: +ELLIPSIS
    Contender(name='sum', run=<function <lambda> at 0x...>)
    """

    name: str
    run: Callable[[], object]
    synchronise: Callable[[], object] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        text("A contender's name", self.name)
        function(f"Contender {self.name!r}: synchronise", self.synchronise, "a function that waits")
        if not callable(self.run):
            raise BenchmarkError(
                f"Contender {self.name!r}: expected a function without arguments, got "
                f"{describe(self.run)}. Pass the function, not its result: `f`, not `f()`; for "
                "arguments use `lambda: f(x)`."
            )

    def open(self, settings: Settings) -> LocalSampler:
        """Get ready to take samples in this process."""
        return LocalSampler(self.run, settings, self.synchronise)
