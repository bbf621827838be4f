"""The settings that all suites share, as one value, each with its option of the command."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from hpml.base import accelerator
from hpml.base.environment import Value
from hpml.base.errors import UsageError
from hpml.benchmark import Comparison, compare_sizes
from hpml.course.arguments import positive


class SuiteError(UsageError):
    """The settings of a suite are unknown, unavailable or inconsistent."""


def option(default: Any, help: str, **how: Any) -> Any:
    """Return a field of `Settings` that is also an option of ``hpml bench``.

    `how` are further arguments of argparse. A field with a plain default has no option.
    """
    return field(default=default, metadata={"help": help, **how})


def number(default: int | None, help: str) -> Any:
    """Return a field for a number from 1, or None, that is also an option."""
    return option(default, help, type=positive, metavar="N")


@dataclass(frozen=True)
class Settings:
    """The settings of every suite; ``run`` also takes each as a keyword argument.

    Attributes:
        rounds: interleaved rounds per case.
        threads: size of torch's thread pool.
        device: "cpu", or an accelerator as torch names it, such as "cuda:1" or "mps".
        contenders: names of the contenders to measure; None measures the usual ones.
        also: names of contenders to measure besides these.
        min_sample_time: minimum seconds per sample.
        seed: the seed of weights, inputs and order.
        out: the file to append finished cases to; None keeps them only in memory.
        resume: whether to skip cases in `out` that are complete and from a machine like this one.
        progress: whether to show a progress bar.

    >>> Settings(rounds=9).changed({"threads": 2}).threads
    2
    """

    rounds: int = number(25, "interleaved rounds, each with one sample of every contender")
    threads: int = number(1, "size of torch's thread pool")
    device: str = option("cpu", "cpu, cuda, cuda:1, mps, xpu")
    contenders: Sequence[str] | None = option(
        None, "contenders to measure; an unknown name prints the list", nargs="+", metavar="NAME"
    )
    also: Sequence[str] = option(
        (), "contenders to measure besides the usual ones", nargs="+", metavar="NAME"
    )
    min_sample_time: float = 2e-3
    seed: int = 0
    out: str | os.PathLike[str] | None = None
    resume: bool = option(
        False, "skip cases that are already in FILE; of cases in the same rounds, all or none"
    )
    progress: bool = False

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """Return these settings with changes, or raise an error for an invalid name or device."""
        valid = [field.name for field in fields(self)]
        unknown = [name for name in changes if name not in valid]
        if unknown:
            raise SuiteError(
                object="settings of run",
                expected=f"some of {', '.join(valid)}",
                received=", ".join(unknown),
                remedy="Leave the others out.",
            )
        settings = replace(self, **changes)
        # Before anything is built.
        accelerator.chosen(settings.device, error=SuiteError)
        return settings

    @property
    def on_gpu(self) -> bool:
        """Whether the device is an accelerator."""
        return self.device != "cpu"

    def can(self, feature: accelerator.Feature) -> bool:
        """Whether the device has a feature, found by trying it."""
        return accelerator.can(feature, self.device)

    def choose(
        self, baseline: str, names: Sequence[str], usual: Sequence[str] | None = None
    ) -> Self:
        """Return these settings with the contenders to measure, in the order of all `names`.

        The baseline is always among them. `usual` are those to measure by default.
        """
        default = names if usual is None else usual
        requested = {*(default if self.contenders is None else self.contenders), *self.also}
        if unknown := requested.difference(names):
            raise SuiteError(
                object="contenders",
                expected=f"some of {', '.join(names)}",
                received=", ".join(sorted(unknown)),
                remedy="Leave the others out.",
            )
        requested.add(baseline)
        return replace(self, contenders=tuple(name for name in names if name in requested))

    def parameters(self) -> dict[str, Value]:
        """Return the settings that the results depend on, as parameters of a case."""
        return {
            "device": self.device,
            "threads": self.threads,
            "rounds": self.rounds,
            "min_sample_time": self.min_sample_time,
            "seed": self.seed,
            "contenders": " ".join(self.contenders or ()),
        }

    def compare_sizes(
        self,
        contenders_at: Callable[[int], Mapping[str, Callable[[], object]]],
        sizes: Iterable[int],
        label: str,
        **more: Any,
    ) -> dict[int, Comparison]:
        """Compare the contenders at the sizes in the same rounds; `label` is the progress bar's."""
        found = compare_sizes(
            contenders_at,
            sizes,
            rounds=self.rounds,
            min_sample_time=self.min_sample_time,
            threads=self.threads,
            device=self.device,
            seed=self.seed,
            progress=label if self.progress else False,
            warm_up=2,
            **more,
        )
        for comparison in found.values():
            if not comparison.complete:
                raise KeyboardInterrupt(f"after {comparison.rounds} rounds")
        return found
