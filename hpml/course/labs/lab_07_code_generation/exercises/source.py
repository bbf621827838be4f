"""The source generator of lab 07: its cases, its judge and its symptoms."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from hpml.base.errors import describe
from hpml.course.labs.lab_07_code_generation.harness import (
    input_values,
    layer_value,
    source_and_run,
)
from hpml.course.lesson.exercises.edges import depths, similar_names
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.lesson.exercises.outcomes import Outcome, observed, symptom
from hpml.course.lesson.exercises.same import shown
from hpml.course.lesson.small_graphs import random_parents

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
    first, second = generator.sample(range(20), 2)
    a, b, c = ("a", 0, ["x"]), ("b", 1, ["a"]), ("c", 2, ["b", "y"])
    unread = [a, b, ("c", 2, ["b"]), ("d", 3, ["a"])]
    known: list[tuple[str, list[str], list[Call], str, str]] = [
        ("one call", ["x"], [a], "a", "right"),
        ("two inputs", ["x", "y"], [a, b, c], "c", "right"),
        ("inputs in the other order", ["y", "x"], [a, b, c], "c", "right"),
        ("any two layers", ["x"], [("p", first, ["x"]), ("q", second, ["p"])], "q", "right"),
        ("names in no order", ["x"], [("q", 0, ["x"]), ("p", 1, ["q"])], "p", "right"),
        ("names with underscores", ["x_"], [("a_", 0, ["x_"]), ("_a", 1, ["a_"]), ("a", 2, ["_a"])],
         "a", "right"),
        ("one value twice", ["x"], [a, ("b", 1, ["a", "a"])], "b", "right"),
        ("one layer twice", ["x"], [("p", 3, ["x"]), ("q", 3, ["p"])], "q", "right"),
        ("c is not needed", ["x", "y"], [a, b, c], "b", "unneeded"),
        ("only a is needed", ["x", "y"], [a, b, c], "a", "unneeded"),
        ("neither b nor c, which reads b, is needed", ["x"], unread, "d", "unneeded"),
        ("an input is the output", ["x", "y"], [a, b, c], "y", "unneeded"),
        ("no calls", ["x"], [], "x", "right"),
        ("two in the order given", ["x"],
         [("q", 0, ["x"]), ("p", 1, ["x"]), ("r", 2, ["p", "q"])], "r", "right"),
        ("three inputs, the middle one is read", ["x", "y", "z"], [("a", 0, ["y"])], "a", "right"),
        ("a call of three values", ["x", "y"], [a, ("b", 1, ["y", "a", "x"])], "b", "right"),
        ("the last is needed, not the first", ["x"], [a, ("b", 1, ["x"])], "b", "unneeded"),
        ("two calls that are read by no other", ["x"], [a, ("b", 1, ["x"]), ("c", 2, ["a"])], "c",
         "unneeded"),
        ("needed by a call that is not needed", ["x"], [a, b, ("c", 2, ["x"])], "c", "unneeded"),
        ("read twice, by one that is left out too", ["x"], [a, b, ("c", 2, ["a", "b"])], "a",
         "unneeded"),
    ]  # fmt: skip
    # Names that contain each other: a search in the text takes one for another.
    names = similar_names(generator, 8)
    for number in (0, 3):
        needed = names[number + 1 : number + 5 : 2]
        similar = [(name, place, ["x"]) for place, name in enumerate(names)]
        known.append(("names that contain each other", ["x"],
                      [*similar, ("out", 1, needed)], "out", "unneeded"))  # fmt: skip
    known[-1] = (f"{known[-1][0]}, drawn otherwise", *known[-1][1:])
    for number in range(1, 7 if more else 2):
        parents = random_parents(generator, generator.randint(4, 10))
        inputs = [name for name in parents if not parents[name]]
        calls = [(name, generator.randint(0, 12), parents[name]) for name in parents]
        calls = calls[len(inputs) :]
        output = generator.choice(calls)[0]
        known.append((f"any network, number {number}", inputs, calls, output, "unneeded"))
    for depth in depths(generator, _DEEP):
        chain: list[Call] = [(f"h{n}", n, [f"h{n - 1}" if n else "x"]) for n in range(depth)]
        # With an unneeded call, because a chain without one needs no liveness analysis.
        chain.insert(generator.randrange(1, depth), ("aside", 0, ["x"]))
        known.append((f"{depth:,} calls in a row", ["x"], chain, chain[-1][0], "deep"))
    return [
        Case(name, {"inputs": inputs, "calls": calls, "output": output}, part)
        for name, inputs, calls, output, part in known
    ]


# --- judging ---


def _judge(case: Case, outcome: Outcome) -> Wrong | None:
    found = observed(outcome)
    if found is None:
        return Wrong("the source of forward", shown(outcome))
    source = found["source"]
    if "problem" in found:
        got = _shortened(source) if isinstance(source, str) else describe(source, 200)
        return Wrong("the source of forward, as a string that runs", got, f"{found['problem']}.")
    right, arguments = _right(case), ", ".join(["self", *case.data["inputs"]])
    rules = [
        (f"def forward({arguments}):", found["arguments"] == arguments),
        (f"layers called: {describe(right['calls'], 120)}", found["calls"] == right["calls"]),
        (f"the forward returns {right['value']}", found["value"] == right["value"]),
    ]
    lines, last = len(right["calls"]) + 2, f"return {case.data['output']}"
    each = f"{lines} lines in the function, one for each call between the first and `return`"
    rules.append((f"the first line is {_FETCH}", found["first"] == _FETCH))
    rules.append((each, found["lines"] == found["statements"] == lines))
    rules.append((f"the last line is {last}", found["last"] == last))
    broken = next((rule for rule, kept in rules if not kept), None)
    if broken is None:
        return None
    did = f"layers called: {describe(found['calls'], 120)}, returned: {describe(found['value'])}"
    return Wrong(broken, f"{did}, by this source:\n{_shortened(source)}")


def _shortened(source: str) -> str:
    lines = source.splitlines()
    return "\n".join(lines if len(lines) <= 12 else [*lines[:6], "    ...", *lines[-3:]])


def _symptom(case: Case, outcome: Outcome) -> object:
    """Return what the source does, whatever its text is."""
    found = observed(outcome)
    if found is None:
        return symptom(case, outcome)
    return found.get("problem") or [found.get("value"), found.get("calls")]


GENERATE_FORWARD = Exercise(
    name="generate_forward",
    minutes=12,
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
