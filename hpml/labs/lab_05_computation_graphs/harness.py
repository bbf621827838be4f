"""Steps of a backward pass for lab 05, made from a graph, which note that they were called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

AT_MOST = 20_000
"""Calls of all steps together; then a walk that never ends is stopped."""


class Gradient:
    """A number that can be added as a tensor can: in place too, and with no truth of its own."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: int) -> None:
        self.value = value

    def __add__(self, other: Any) -> Gradient:
        return Gradient(self.value + (other.value if isinstance(other, Gradient) else other))

    __radd__ = __add__

    def __iadd__(self, other: Any) -> Self:
        self.value += other.value if isinstance(other, Gradient) else other
        return self

    def __bool__(self) -> bool:
        raise TypeError("a gradient is neither true nor false; `is None` asks whether there is one")

    def __eq__(self, other: object) -> bool:
        raise TypeError("a comparison of gradients has no single answer")

    def __repr__(self) -> str:
        return f"gradient {self.value}"


class Step:
    """A step of a backward pass: called with a gradient, it returns one for each next step."""

    def __init__(self, name: str, called: list[str]) -> None:
        self.name = name
        self.next_functions: tuple[tuple[Step | None, int], ...] = ()
        self._called = called

    def __call__(self, gradient: Gradient) -> Any:
        if len(self._called) >= AT_MOST:
            raise RuntimeError(f"stopped after {AT_MOST:,} calls of steps")
        self._called.append(self.name)
        passed = [
            None if step is None else _through(self.name, place, gradient)
            for place, (step, _) in enumerate(self.next_functions)
        ]
        return passed[0] if len(passed) == 1 else tuple(passed)

    def __repr__(self) -> str:
        return f"<step {self.name}>"


def _through(name: str, place: int, gradient: Gradient) -> Gradient:
    """Return what a step makes of a gradient; an addition hands on the very same one."""
    if name.startswith("add"):
        return gradient
    return Gradient((2 + place) * gradient.value - len(name))


def backward_steps(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a walk: the first step of a graph, and a gradient."""
    called: list[str] = []
    steps = {name: Step(name, called) for name in data["steps"]}
    for name, after in data["steps"].items():
        steps[name].next_functions = tuple((steps.get(each), 0) for each in after)
    return {"start": next(iter(steps.values())), "gradient": Gradient(data["gradient"])}


def arrived_and_called(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return what arrived at each step that was returned, and which steps were called, in order."""
    called = arguments["start"]._called
    if not isinstance(result, dict) or not all(isinstance(end, Step) for end in result):
        return {"result": repr(result)[:200], "called": called}
    arrived = {
        end.name: got.value if isinstance(got, Gradient) else repr(got)[:80]
        for end, got in result.items()
    }
    return {"arrived": arrived, "called": called}
