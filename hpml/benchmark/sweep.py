"""A sweep: how one quantity of a contender changes with a parameter, say throughput with layers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from hpml.base.errors import describe
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.errors import BenchmarkError
from hpml.benchmark.record import Case
from hpml.benchmark.robust import Quartiles

Quantity = Literal["throughput", "time", "time per item", "ratio"]


@dataclass(frozen=True)
class Sweep:
    """One line of a picture: a contender's middle value and its band at each parameter value.

    Attributes:
        name: the contender.
        at: the parameter's values, rising.
        bands: for each of them (lower edge, middle, upper edge). For times and throughput these are
            the quartiles; for ratios the 95 % interval and the median.
        published: the figures come from a document and not from this machine.

    >>> Sweep("vanilla", (250.0, 500.0), ((648.7, 651.4, 653.7), (314.7, 316.2, 317.5)), True).at
    (250.0, 500.0)
    """

    name: str
    at: tuple[float, ...]
    bands: tuple[Quartiles, ...]
    published: bool = False

    def __post_init__(self) -> None:
        if len(self.at) != len(self.bands) or not self.at:
            raise BenchmarkError(
                f"Sweep {self.name!r}: expected one band for each parameter value, got "
                f"{len(self.at)} values and {len(self.bands)} bands."
            )


def sweeps(cases: Iterable[Case], parameter: str, quantity: Quantity) -> tuple[Sweep, ...]:
    """Return one sweep for each contender that occurs in the cases.

    Args:
        cases: of one suite, each with another value of the parameter.
        parameter: the name of a numeric parameter of the cases.
        quantity: "throughput" in calls/s, "time" in seconds per call, "time per item" in seconds
            per call divided by the parameter, "ratio" of the times to the baseline's.

    Raises:
        BenchmarkError: if a case lacks the parameter or it is not a number, or two cases have the
            same value of it.
    """
    found: dict[str, dict[float, Quartiles]] = {}
    for case in cases:
        value = case.parameters.get(parameter)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise BenchmarkError(
                f"sweeps: expected each case to have a number {parameter!r}, got "
                f"{describe(value)} in {describe(dict(case.parameters))}."
            )
        for name in case.comparison.names:
            bands = found.setdefault(name, {})
            if value in bands:
                raise BenchmarkError(
                    f"sweeps: expected one case for each {parameter!r}, got two for {value!r}; "
                    "select the cases that belong to one line."
                )
            bands[float(value)] = _band(case.comparison, name, quantity, value)
    return tuple(
        Sweep(name, tuple(sorted(bands)), tuple(bands[at] for at in sorted(bands)))
        for name, bands in found.items()
    )


def _band(comparison: Comparison, name: str, quantity: Quantity, value: float) -> Quartiles:
    measurement = comparison[name]
    if quantity == "throughput":
        return measurement.throughput
    if quantity == "ratio":
        ratio = comparison.ratio(name)
        return ratio.low, ratio.value, ratio.high
    if quantity in ("time", "time per item"):
        low, middle, high = measurement.quartiles
        items = value if quantity == "time per item" else 1.0
        return low / items, middle / items, high / items
    raise BenchmarkError(
        "sweeps: expected a quantity 'throughput', 'time', 'time per item' or 'ratio', "
        f"got {describe(quantity)}."
    )
