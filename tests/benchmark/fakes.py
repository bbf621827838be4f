"""A clock that stands still unless told otherwise, and contenders that take exactly so long."""

from __future__ import annotations

from collections.abc import Callable

from hpml.benchmark import Comparison, Measurement


class FakeClock:
    """Seconds that pass only when someone calls `advance`."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds

    def work(
        self, seconds: float, log: list[str] | None = None, name: str = ""
    ) -> Callable[[], None]:
        """Return a function that takes so many seconds of this clock."""

        def run() -> None:
            self.advance(seconds)
            if log is not None:
                log.append(name)

        return run


def steady(baseline: str, rounds: int = 8, **seconds: float) -> Comparison:
    """Return a comparison of contenders that take the same in every round."""
    found = [Measurement(name, (time,) * rounds, number=1) for name, time in seconds.items()]
    return Comparison(tuple(found), baseline, rounds)
