"""Exercise 05.4: a walk back through recorded steps, each called once with all that arrives."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from hpml.base.errors import describe
from hpml.course.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.exercises.outcomes import Outcome, observed, symptom
from hpml.course.exercises.same import shown
from hpml.labs.lab_05_computation_graphs.harness import (
    Gradient,
    Step,
    arrived_and_called,
    backward_steps,
)

Steps = dict[str, list[str | None]]

_DEEP = 10_000


def _cases(generator: random.Random, more: bool) -> Sequence[Case]:
    linear: Steps = {"mul": ["bias", None, "turn"], "bias": [], "turn": ["weight"], "weight": []}
    tried: dict[str, tuple[Steps, int]] = {
        "one step": ({"sin": ["x"], "x": []}, 1),
        "a linear layer": (linear, 2),
        "the start is an end": ({"x": []}, 5),
        "nothing needs a gradient": ({"mul": [None, None]}, 1),
        "one pair, and it needs no gradient": ({"sin": [None]}, 1),
        "a gradient of 0": ({"add": ["w", "x"], "w": [], "x": []}, 0),
        "the same end twice": ({"mul": ["x", "x"], "x": []}, 3),
        "a diamond": ({"mul": ["l", "r"], "l": ["sin"], "r": ["sin"], "sin": ["x"], "x": []}, 1),
        "a short and a long way": (
            {"mul": ["sin", "l"], "l": ["m"], "m": ["sin"], "sin": ["x"], "x": []}, 1,
        ),
        "a long and a short way": (
            {"mul": ["l", "sin"], "l": ["m"], "m": ["sin"], "sin": ["x"], "x": []}, 1,
        ),
        "an addition hands on the same gradient twice": (
            {"mul": ["add", "sin"], "add": ["x", "tan"], "sin": ["tan"], "tan": ["w"], "x": [],
             "w": []}, 4,
        ),
        # One of the two shows it, whichever step is taken first.
        "the same, the addition last": (
            {"mul": ["sin", "add"], "add": ["tan", "x"], "sin": ["tan"], "tan": ["w"], "x": [],
             "w": []}, 4,
        ),
        "an addition before an end that gets more": (
            {"add": ["x", "sin"], "sin": ["x", "w"], "x": [], "w": []}, 4,
        ),
    }  # fmt: skip
    for number in range(1, 9 if more else 2):
        tried[f"any steps, number {number}"] = (_random_steps(generator), generator.randint(1, 9))
    cases = [_case(name, *fields) for name, fields in tried.items()]
    ladder: Steps = {}
    for i in range(40):
        ladder |= {f"add{i}": [f"l{i}", f"r{i}"], f"l{i}": [f"add{i + 1}"]}
        ladder[f"r{i}"] = [f"add{i + 1}"]
    cases.append(
        _case("40 diamonds in a row", {**ladder, "add40": []}, generator.randint(1, 9), "deep")
    )
    if more:
        cases.append(
            _case("drawn steps", _random_steps(generator), generator.randint(1, 9), "deep")
        )
    chain: Steps = {f"add{i}": [f"add{i + 1}"] for i in range(_DEEP)}
    cases.append(
        _case(
            f"{_DEEP:,} steps in a row",
            {**chain, f"add{_DEEP}": []},
            generator.randint(1, 9),
            "deep",
        )
    )
    return cases


def _case(name: str, steps: Steps, gradient: int, part: str = "right") -> Case:
    graph = str(steps) if len(steps) <= 12 else name
    call = f"walk_backward(the first of the steps {graph}, {gradient})"
    return Case(name, {"steps": steps, "gradient": gradient}, part, call)


def _random_steps(generator: random.Random) -> Steps:
    """Return steps of which each but the first is reached from an earlier one."""
    names = [f"{generator.choice(('add', 'mul', 'sin'))}{i}" for i in range(9)]
    ends = ["w", "x", "y"]
    steps: Steps = {}
    for place, name in enumerate(names):
        later = [*names[place + 1 : place + 4], *ends]
        after = [
            *names[place + 1 : place + 2],
            *generator.choices(later, k=generator.randint(0, 2)),
        ]
        steps[name] = [each if generator.random() < 0.9 else None for each in after or ["x"]]
    return steps | {end: [] for end in ends}


def _right(case: Case) -> tuple[dict[str, int], set[str]]:
    """Return what arrives at each end that is reached, and the steps to be called."""
    given = backward_steps(case.data)
    start: Step = given["start"]
    reached, waiting = {start: 0}, [start]
    for step in waiting:
        for after, _ in step.next_functions:
            if after is not None:
                if after not in reached:
                    reached[after] = 0
                    waiting.append(after)
                reached[after] += 1
    totals: dict[Step, Gradient] = {start: given["gradient"]}
    ready, arrived = [start], {}
    while ready:
        step = ready.pop()
        if not step.next_functions:
            arrived[step.name] = totals[step].value
            continue
        made = step(totals[step])
        gradients = [made] if len(step.next_functions) == 1 else made
        for (after, _), gradient in zip(step.next_functions, gradients, strict=True):
            if after is not None:
                totals[after] = totals[after] + gradient if after in totals else gradient
                reached[after] -= 1
                if reached[after] == 0:
                    ready.append(after)
    return arrived, {step.name for step in waiting if step.next_functions}


def _judge(case: Case, outcome: Outcome) -> Wrong | None:
    arrived, steps = _right(case)
    found = observed(outcome)
    expected = describe(arrived, 200)
    if found is None:
        return Wrong(expected, shown(outcome))
    if "arrived" not in found:
        return Wrong(f"a dictionary {expected} of steps", str(found.get("result")))
    often = Counter(found["called"])
    most = max(often, key=lambda name: often[name], default="")
    if often[most] > 1:
        return Wrong("each step called once", f"{most} called {often[most]:,} times")
    if set(often) - steps:
        return Wrong("ends are not called", f"{min(set(often) - steps)} called")
    if found["arrived"] != arrived:
        return Wrong(expected, describe(found["arrived"], 200))
    return None


def _symptom(case: Case, outcome: Outcome) -> object:
    """Return what arrived, and what is odd about the calls: every way has an order of its own."""
    found = observed(outcome)
    if found is None or "arrived" not in found:
        return symptom(case, outcome)
    called = found["called"]
    again, ends = len(called) > len(set(called)), bool(set(called) - _right(case)[1])
    # Called again and again, what arrives depends on the order.
    return ["again"] if again else [found["arrived"], ends]


WALK_BACKWARD = Exercise(
    name="walk_backward",
    parts={"right": 2, "deep": 1},
    cases=_cases,
    judge=_judge,
    symptom=_symptom,
    forbids=Forbidden(
        modules=("graphlib", "networkx", "hpml", "torch"),
        names=("setrecursionlimit", "stack_size"),
        why="Autograd has a ready-made function; the exercise is to write it.",
    ),
    arguments=backward_steps,
    observe=arrived_and_called,
    keeps_arguments=False,
    seconds=10.0,
)
