"""How a suite measures, as one value: the settings that all suites share."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from hpml.base.environment import Value
from hpml.base.errors import HpmlError, describe
from hpml.benchmark import Comparison, compare


class SuiteError(HpmlError):
    """A suite was asked for something that it does not have or that does not fit together."""


@dataclass(frozen=True)
class Settings:
    """The settings of every suite; ``run`` takes each by its name as well.

    Attributes:
        rounds: interleaved rounds a case.
        contenders: names, in the order of tables and pictures; None measures the usual ones.
        device: "cpu", "cuda", "cuda:1".
        threads: size of torch's thread pool.
        min_sample_time: seconds that one sample should last.
        seed: of weights, inputs and order.
        out, resume: see `hpml.suites.running.run_cases`.
        progress: show a progress bar.

    >>> Settings(rounds=9).changed({"threads": 2}).threads
    2
    >>> Settings().changed({"round": 2})
    Traceback (most recent call last):
    ...
    hpml.suites.settings.SuiteError: run: expected some of rounds, contenders, device, \
threads, min_sample_time, seed, out, resume, progress, got round.
    """

    rounds: int = 25
    contenders: Sequence[str] | None = None
    device: str = "cpu"
    threads: int = 1
    min_sample_time: float = 2e-3
    seed: int = 0
    out: str | os.PathLike[str] | None = None
    resume: bool = False
    progress: bool = False

    def changed(self, changes: Mapping[str, Any]) -> Self:
        """Return these settings with some of them changed.

        Raises:
            SuiteError: if there is no such setting, or the device is not there.
        """
        known = [field.name for field in fields(self)]
        unknown = [name for name in changes if name not in known]
        if unknown:
            raise SuiteError(f"run: expected some of {', '.join(known)}, got {', '.join(unknown)}.")
        settings = replace(self, **changes)
        check_device(settings.device)
        return settings

    def parameters(self) -> dict[str, Value]:
        """Return what the results depend on, for the parameters of a case."""
        return {
            "device": self.device,
            "threads": self.threads,
            "rounds": self.rounds,
            "min_sample_time": self.min_sample_time,
            "seed": self.seed,
            "contenders": " ".join(self.contenders or ()),
        }

    def compare(
        self, contenders: Mapping[str, Callable[[], object]], label: str, **more: Any
    ) -> Comparison:
        """Compare contenders in this way.

        Args:
            contenders: of one case.
            label: stands before the progress bar.
            more: further arguments of `hpml.benchmark.compare`.
        """
        found = compare(
            contenders,
            rounds=self.rounds,
            min_sample_time=self.min_sample_time,
            threads=self.threads,
            device=self.device,
            seed=self.seed,
            progress=label if self.progress else False,
            stop_early=False,
            warm_up=2,
            **more,
        )
        if not found.complete:
            raise KeyboardInterrupt(f"after {found.rounds} rounds")
        return found


def check_device(device: str) -> None:
    """Refuse a device that this machine has not, before anything is built."""
    import torch

    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    here = ["cpu", *(["cuda"] if gpus else []), *(f"cuda:{number}" for number in range(gpus))]
    if device not in here:
        raise SuiteError(
            f"device: expected one of {', '.join(here)}, got {describe(device)}; torch sees "
            f"{gpus or 'no'} GPU{'s' if gpus > 1 else ''} here. Use cpu, or see `hpml doctor`."
        )


def option_names(run: Callable[..., object]) -> tuple[str, ...]:
    """Return what a suite's ``run`` can be told beyond its sizes."""
    arguments = inspect.signature(run).parameters
    settings = arguments["settings"].default
    own = [a.name for a in arguments.values() if a.kind is inspect.Parameter.KEYWORD_ONLY]
    return (*own, *(field.name for field in fields(settings)))


def choose(
    wanted: Sequence[str] | None,
    known: Sequence[str],
    *,
    usual: Sequence[str] | None = None,
    always: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return the contenders to measure, in the order of the known ones."""
    unknown = [name for name in wanted or () if name not in known]
    if unknown or (wanted is not None and not [*wanted, *always]):
        raise SuiteError(
            f"contenders: expected some of {', '.join(known)}, got {', '.join(unknown) or 'none'}."
        )
    asked = {*((known if usual is None else usual) if wanted is None else wanted), *always}
    return tuple(name for name in known if name in asked)
