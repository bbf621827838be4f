"""The source generator of lab 07: its cases, its judge and its symptoms."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hpml.base.errors import describe
from hpml.course.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.exercises.outcomes import Outcome, observed, symptom
from hpml.course.exercises.same import shown
from hpml.labs.lab_07_code_generation.harness import input_values, layer_value, source_and_run

Call = tuple[str, int, list[str]]
"""The name of the result, the number of the layer, and its arguments."""

FORBIDDEN = Forbidden(
    modules=("hpml", "torch"),
    why="The exercise is to write it, so no library that contains it may be imported.",
)
_DEEP = 5_000
_FETCH = "l = self._execution_order_layers"


# --- the oracle ---


def _values(case: Case) -> dict[str, int]:
    inputs = case.data["inputs"]
    values = dict(zip(inputs, input_values(len(inputs)), strict=True))
    for name, layer, arguments in case.data["calls"]:
        values[name] = layer_value(layer, [values[argument] for argument in arguments])
    return values


def _needed(case: Case) -> set[str]:
    """Return the names that the output needs, by propagating to a fixed point."""
    found, before = {case.data["output"]}, 0
    while len(found) > before:
        before = len(found)
        for name, _, arguments in reversed(case.data["calls"]):
            if name in found:
                found.update(arguments)
    return found


def _right(case: Case) -> dict[str, Any]:
    needed = _needed(case)
    layers = [layer for name, layer, _ in case.data["calls"] if name in needed]
    return {"value": _values(case)[case.data["output"]], "calls": layers}


# --- cases ---


def _cases(generator: random.Random, more: bool) -> Sequence[Case]:
    high = generator.randint(2, 9)
    a, b, c = ("a", 0, ["x"]), ("b", 1, ["a"]), ("c", 2, ["b", "y"])
    known: list[tuple[str, list[str], list[Call], str, str]] = [
        ("one call", ["x"], [a], "a", "right"),
        ("two inputs", ["x", "y"], [a, b, c], "c", "right"),
        ("inputs in the other order", ["y", "x"], [a, b, c], "c", "right"),
        ("layers in another order", ["x"], [("p", high, ["x"]), ("q", 1, ["p"])], "q", "right"),
        ("names in no order", ["x"], [("q", 0, ["x"]), ("p", 1, ["q"])], "p", "right"),
        ("one value twice", ["x"], [a, ("b", 1, ["a", "a"])], "b", "right"),
        ("one layer twice", ["x"], [("p", 3, ["x"]), ("q", 3, ["p"])], "q", "right"),
        ("c is not needed", ["x", "y"], [a, b, c], "b", "unneeded"),
        ("only a is needed", ["x", "y"], [a, b, c], "a", "unneeded"),
        (
            "neither b nor c, which reads b, is needed",
            ["x"],
            [a, ("b", 1, ["a"]), ("c", 2, ["b"]), ("d", 3, ["a"])],
            "d",
            "unneeded",
        ),
        ("an input is the output", ["x", "y"], [a, b, c], "y", "unneeded"),
    ]
    cases = [_case(*fields) for fields in known]
    if more:
        layers = generator.sample(range(20), generator.randint(2, 6))
        names = ["x", *(f"g{place}" for place in range(len(layers)))]
        row: list[Call] = [(names[p + 1], layer, [names[p]]) for p, layer in enumerate(layers)]
        cases.append(_case("a drawn row", ["x"], row, names[-1], "right"))
    for number in range(1, 7 if more else 2):
        inputs, calls = _network(generator)
        name = f"any network, number {number}"
        cases.append(_case(name, inputs, calls, generator.choice(calls)[0], "unneeded"))
    chain: list[Call] = [(f"h{n}", n, [f"h{n - 1}" if n else "x"]) for n in range(_DEEP)]
    # With an unneeded call, because a chain without one needs no liveness analysis.
    chain.insert(generator.randrange(1, _DEEP), ("aside", 0, ["x"]))
    cases.append(_case(f"{_DEEP:,} calls in a row", ["x"], chain, chain[-1][0], "deep"))
    return cases


def _case(name: str, inputs: list[str], calls: list[Call], output: str, part: str) -> Case:
    data = {"inputs": inputs, "calls": calls, "output": output}
    shown_calls = str(calls) if len(calls) <= 12 else "calls"
    return Case(name, data, part, f"generate_forward({inputs}, {shown_calls}, {output!r})")


def _network(generator: random.Random) -> tuple[list[str], list[Call]]:
    inputs = [f"i{number}" for number in range(generator.randint(1, 3))]
    names, calls = list(inputs), []
    for number in range(generator.randint(4, 10)):
        arguments = generator.choices(names[-4:], k=generator.choice((1, 1, 2, 3)))
        # Random letters, so that sorting the calls by name gives a wrong order.
        names.append(f"{generator.choice('ahpz')}{number}")
        calls.append((names[-1], generator.randint(0, 12), arguments))
    return inputs, calls


# --- judging ---


def _judge(case: Case, outcome: Outcome) -> Wrong | None:
    found, right = observed(outcome), _right(case)
    if found is None:
        return Wrong("the source of forward", shown(outcome))
    source = found.get("source")
    if not isinstance(source, str):
        why = "It returns None: is a `return` missing?" if source is None else ""
        return Wrong("the source of forward, as a string", describe(source, 200), why)
    if "problem" in found:
        return Wrong("source that runs", _shortened(source), f"{found['problem']}.")
    wanted = ["self", *case.data["inputs"]]
    if found.get("arguments") != wanted:
        return Wrong(f"def forward({', '.join(wanted)}):", _shortened(source))
    fault = _difference(right, found)
    if fault is not None:
        return Wrong(fault[0], f"{fault[1]}, by this source:\n{_shortened(source)}")
    return _form(right, found, source) if case.part == "right" else None


def _difference(right: Mapping[str, Any], ran: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the expected and the received text, first for the called layers, then the value."""
    called, value = ran["calls"], ran["value"]
    if called != right["calls"]:
        return f"layers called: {describe(right['calls'], 120)}", describe(called, 120)
    if type(value) is not int or value != right["value"]:
        return f"the forward returns {right['value']}", describe(value)
    return None


def _form(right: Mapping[str, Any], found: Mapping[str, Any], source: str) -> Wrong | None:
    if found.get("first") != _FETCH:
        return Wrong(f"the first line is {_FETCH}", _shortened(source))
    lines = len(right["calls"]) + 2
    why = "Each call has its own line, between the first line and `return`."
    if found.get("joined"):
        return Wrong(f"{lines} lines in the function", _shortened(source), why)
    if found.get("lines") != lines:
        return Wrong(f"{lines} lines in the function", f"{found.get('lines')}", why)
    return None


def _shortened(source: str) -> str:
    lines = source.splitlines()
    return "\n".join(lines if len(lines) <= 12 else [*lines[:6], "    ...", *lines[-3:]])


# --- symptoms ---


def _symptom(case: Case, outcome: Outcome) -> object:
    """Return what the source does, and the features of its text by which mistakes are known."""
    found = observed(outcome)
    if found is None or not isinstance(found.get("source"), str):
        return symptom(case, outcome)
    needed = _needed(case)
    kept = [name for name, _, _ in reversed(case.data["calls"]) if name in needed]
    # Only the first lines, because a long source is truncated.
    lines = re.findall(r"^\s+(\w+) *= *l\[.*\)$", found["source"], re.MULTILINE)
    if len(lines) > 1 and lines == kept[: len(lines)]:
        return "backwards"
    if "problem" in found:
        return ["does not run", str(found["problem"]).partition(":")[0]]
    return [found["value"], found["calls"], found.get("first") == _FETCH, bool(found.get("joined"))]


GENERATE_FORWARD = Exercise(
    name="generate_forward",
    parts={"right": 1, "unneeded": 2, "deep": 1},
    cases=_cases,
    judge=_judge,
    symptom=_symptom,
    forbids=Forbidden(
        modules=(*FORBIDDEN.modules, "linecache"),
        names=("setrecursionlimit", "stack_size"),
        calls=("eval", "exec", "compile"),
        why=f"{FORBIDDEN.why} Return only the source; the check runs it.",
    ),
    observe=source_and_run,
    seconds=20,
)
