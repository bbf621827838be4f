"""The exercises of lab 07: a generator of source, the runs in it, and a budget of time."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import cast

from hpml.course.exercises.exercise import Case, Choice, Exercise, Forbidden, Misconception, Wrong
from hpml.course.exercises.outcomes import Outcome, Raised, Returned
from hpml.course.exercises.same import difference, expect, shown
from hpml.labs.lab_07_code_generation.exercises.source import FORBIDDEN, GENERATE_FORWARD, Call
from hpml.labs.lab_07_code_generation.explanation import EXPLANATION

__all__ = ["EXERCISES", "EXPLANATION_ITEM"]

Runs = list[tuple[int, int]]


# --- compress_runs ---


def _runs_of(calls: Sequence[Call], output: str, min_length: int) -> Runs:
    """Return the longest straight runs by trying every stretch of calls."""
    stretches = [
        (first, end)
        for first in range(len(calls))
        for end in range(first + 1, len(calls) + 1)
        if _is_run(calls, output, first, end)
    ]
    return [
        (first, end)
        for first, end in stretches
        if end - first >= min_length
        and not any(a <= first and end <= b and (a, b) != (first, end) for a, b in stretches)
    ]


def _is_run(calls: Sequence[Call], output: str, first: int, end: int) -> bool:
    if any(len(arguments) != 1 for _, _, arguments in calls[first:end]):
        return False
    for position in range(first, end - 1):
        result = calls[position][0]
        readers = [p for p, (_, _, names) in enumerate(calls) if result in names]
        if readers != [position + 1] or result == output:
            return False
    return True


def _calls(case: Case) -> list[Call]:
    return cast("list[Call]", case.data["calls"])


def _expected_runs(case: Case) -> Runs:
    return _runs_of(_calls(case), str(case.data["output"]), cast("int", case.data["min_length"]))


def _run_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    a, b, c, d = ("a", 0, ["x"]), ("b", 1, ["a"]), ("c", 2, ["b"]), ("d", 3, ["c"])
    again, both = ("d", 3, ["a"]), ("e", 4, ["c", "d"])
    twice = ("c", 2, ["b", "b"])
    known: list[tuple[str, list[Call], str, int, str]] = [
        ("three in a row", [a, b, c], "c", 2, "right"),
        ("just long enough", [a, b, c], "c", 3, "right"),
        ("too short", [a, b, c], "c", 4, "right"),
        ("output in the middle", [a, b, c, d], "b", 2, "right"),
        ("no calls", [], "x", 2, "right"),
        ("a is read twice", [a, b, c, again, both], "e", 2, "branches"),
        ("b is read twice by one call", [a, b, twice, d], "d", 2, "branches"),
    ]
    cases = [_run_case(*fields) for fields in known]
    for number in range(1, 7 if more else 2):
        calls = _straight(generator)
        for where, output in (("last", calls[-1][0]), ("any", generator.choice(calls)[0])):
            name = f"straight, number {number}, output {where}"
            cases.append(_run_case(name, calls, output, generator.randint(1, 3), "right"))
        calls, name = _branching(generator), f"branches, number {number}"
        least = generator.randint(1, 3)
        cases.append(_run_case(name, calls, calls[-1][0], least, "branches"))
    return cases


def _run_case(name: str, calls: Sequence[Call], output: str, min_length: int, part: str) -> Case:
    data = {"calls": list(calls), "output": output, "min_length": min_length}
    return Case(name, data, part, f"compress_runs({list(calls)}, {output!r}, {min_length})")


def _straight(generator: random.Random) -> list[Call]:
    """Return some chains of calls, one after the other, each from an input of its own."""
    calls: list[Call] = []
    for chain in range(generator.randint(1, 3)):
        above = f"x{chain}"
        for _ in range(generator.randint(1, 5)):
            name = f"h{len(calls)}"
            calls.append((name, generator.randint(0, 9), [above]))
            above = name
    return calls


def _branching(generator: random.Random) -> list[Call]:
    """Return calls of which some join two values or read one that another has read."""
    calls: list[Call] = []
    names = ["x"]
    for number in range(generator.randint(6, 11)):
        near = names[-1] if generator.random() < 0.7 else generator.choice(names)
        arguments = [near]
        if generator.random() < 0.2:
            arguments.append(generator.choice(names))
        names.append(f"h{number}")
        calls.append((names[-1], generator.randint(0, 9), arguments))
    return calls


def _inclusive(case: Case) -> Runs:
    return [(first, end - 1) for first, end in _expected_runs(case)]


def _without_the_last(case: Case) -> Runs:
    return [run for run in _expected_runs(case) if run[1] != len(_calls(case))]


def _longer_than(case: Case) -> Runs:
    least = cast("int", case.data["min_length"])
    return [(first, end) for first, end in _expected_runs(case) if end - first > least]


def _careless(
    case: Case, *, readers: bool = False, output: bool = False, first: bool = False
) -> Runs:
    """Return the runs of whoever forgets a condition.

    Args:
        case: what was tried.
        readers: whether it is forgotten that nobody else may read a value inside of a run.
        output: whether it is forgotten that the output may not lie inside of a run.
        first: whether it is forgotten that the first call of a run has one argument.
    """
    calls = _calls(case)
    read = [name for _, _, arguments in calls for name in arguments]
    runs: Runs = []
    for position, (_, _, arguments) in enumerate(calls):
        before = calls[position - 1][0] if position else ""
        goes_on = (
            arguments == [before]
            and (readers or read.count(before) == 1)
            and (output or before != case.data["output"])
        )
        if goes_on and runs and runs[-1][1] == position:
            runs[-1] = (runs[-1][0], position + 1)
        elif first or len(arguments) == 1:
            runs.append((position, position + 1))
    return [run for run in runs if run[1] - run[0] >= cast("int", case.data["min_length"])]


def _forgets(*, readers: bool = False, output: bool = False) -> Callable[[Case, Outcome], bool]:
    """Return whether these conditions are forgotten, be the one on the first call or not."""
    forgets = partial(_careless, readers=readers, output=output)
    ways = (_gives(forgets), _gives(partial(forgets, first=True)))
    return lambda case, outcome: any(way(case, outcome) for way in ways)


def _gives(compute: Callable[[Case], object]) -> Callable[[Case, Outcome], bool]:
    def fits(case: Case, outcome: Outcome) -> bool:
        return (
            isinstance(outcome, Returned)
            and difference(compute(case), outcome.value, tolerance=1e-12) is None
        )

    return fits


_COMPRESS_RUNS = Exercise(
    lab="07",
    number=2,
    name="compress_runs",
    statement=(
        "`compress_runs(calls, output, min_length)` finds straight runs: stretches of consecutive "
        "calls in which every call but the first takes the result of the call just before it and "
        "nothing else, nobody else reads that result, and it is not the output. The first call of "
        "a run has one argument too. It returns the runs of at least `min_length` calls, as pairs "
        "(first call, one past the last), the longest possible ones, in order."
    ),
    signature=(
        "compress_runs(calls: list[tuple[str, int, list[str]]], output: str, min_length: int)"
        " -> list[tuple[int, int]]"
    ),
    example="compress_runs([('a', 0, ['x']), ('b', 1, ['a']), ('c', 2, ['b'])], 'c', 2)",
    shows="[(0, 3)]",
    parts={"right": 2, "branches": 1},
    cases=_run_cases,
    judge=expect(_expected_runs),
    misconceptions=(
        Misconception(
            "inclusive_end",
            "The runs are the right ones, but each ends one too early: the second number is one "
            "past the last call, as in `l[0:3]`.",
            _gives(_inclusive),
        ),
        Misconception(
            "misses_the_last_run",
            "A run that reaches to the last call is lost. When the loop is over, a run may still "
            "be open.",
            _gives(_without_the_last),
        ),
        Misconception(
            "begins_with_two",
            "One of your runs begins with a call that has several arguments. In a loop every line "
            "is `h = layer(h)`, the first one too, so it has one.",
            _gives(partial(_careless, first=True)),
        ),
        Misconception(
            "output_inside",
            "The output lies inside of a run. A loop keeps one name only, so what is returned has "
            "to be the result of its last call.",
            _forgets(output=True),
        ),
        Misconception(
            "longer_than",
            "A run of exactly `min_length` calls counts too: at least, not more than.",
            _gives(_longer_than),
        ),
        Misconception(
            "ignores_other_readers",
            "A run goes on although somebody else reads the value in its middle. A loop would "
            "have written over it by then.",
            _forgets(readers=True),
        ),
        Misconception(
            "looks_back_only",
            "You ask of each call only what it reads. Ask of the value between two calls as well: "
            "does anybody else read it, and is it the output?",
            _forgets(readers=True, output=True),
        ),
    ),
    hints=(
        "First count how often each value is read, by all calls together.",
        "Go through the calls and ask of each only whether it continues the run of the one before.",
        "Whoever does not continue a run begins one, if it has one argument.",
    ),
    forbids=FORBIDDEN,
)


# --- predict_time ---


def _time_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    costs = {"start": 1e-6, "layer": 4e-6, "codegen": 5e-8, "lazy": 1e-6}
    cases = [
        _time_case("100 layers, codegen", 100, costs, "codegen"),
        _time_case("3 layers, codegen", 3, costs, "codegen"),
        _time_case("100 layers, lazy", 100, costs, "lazy"),
        _time_case("no layers", 0, costs, "lazy"),
        _time_case("one layer", 1, costs, "lazy"),
        _time_case("an unknown execution", 3, costs, "numba", "unknown"),
    ]
    for number in range(1, 6 if more else 1):
        executions = generator.sample(("inlined", "lazy", "ordered", "handwritten"), 4)
        missing = executions.pop()
        executions.append("codegen")
        known = {"start": generator.uniform(1e-6, 9e-6), "layer": generator.uniform(1e-6, 9e-6)}
        known |= {execution: generator.uniform(1e-8, 2e-6) for execution in executions}
        layers = generator.randint(2, 2000)
        cases.append(_time_case(f"any costs, number {number}", layers, known, executions[0]))
        name = f"an unknown execution, number {number}"
        cases.append(_time_case(name, layers, known, missing, "unknown"))
    return cases


def _time_case(
    name: str, layers: int, costs: Mapping[str, float], execution: str, part: str = "right"
) -> Case:
    data = {"n_layers": layers, "costs": dict(costs), "execution": execution}
    return Case(name, data, part, f"predict_time({layers}, {dict(costs)}, {execution!r})")


def _costs(case: Case) -> Mapping[str, float]:
    return cast("Mapping[str, float]", case.data["costs"])


def _layers(case: Case) -> int:
    return cast("int", case.data["n_layers"])


def _each(case: Case) -> float:
    return _costs(case)[str(case.data["execution"])]


def _seconds(case: Case) -> float:
    """Return the time as one spends it: the start, then layer after layer."""
    layers = [_costs(case)["layer"], _each(case)] * _layers(case)
    return math.fsum([_costs(case)["start"], *layers])


def _judge_time(case: Case, outcome: Outcome) -> Wrong | None:
    execution = str(case.data["execution"])
    if execution in _costs(case):
        return expect(_seconds, tolerance=1e-12)(case, outcome)
    if not isinstance(outcome, Raised) or "ValueError" not in outcome.bases:
        return Wrong(f"raises a ValueError that names {execution!r}", shown(outcome))
    if execution not in outcome.message:
        return Wrong(f"a ValueError that names {execution!r}", shown(outcome))
    return None


def _known(compute: Callable[[Case], float]) -> Callable[[Case, Outcome], bool]:
    """Return whether the sum is this one; whoever errs there may not have met the error yet."""
    fits = _gives(compute)
    return lambda case, outcome: (
        fits(case, outcome) if case.part == "right" else isinstance(outcome, Raised)
    )


def _key_error(case: Case, outcome: Outcome) -> bool:
    return case.part == "unknown" and isinstance(outcome, Raised) and outcome.type == "KeyError"


def _no_name(case: Case, outcome: Outcome) -> bool:
    return case.part == "unknown" and isinstance(outcome, Raised) and outcome.type == "ValueError"


_PREDICT_TIME = Exercise(
    lab="07",
    number=3,
    name="predict_time",
    statement=(
        "`predict_time(n_layers, costs, execution)` returns the seconds of one forward. `costs` "
        "holds seconds: `'start'` once a forward, `'layer'` once for each layer, and for each "
        "execution, under its name, what it adds once for each layer. It raises a `ValueError` "
        "that names the execution if `costs` does not have it."
    ),
    signature="predict_time(n_layers: int, costs: dict[str, float], execution: str) -> float",
    example="predict_time(100, {'start': 1e-6, 'layer': 4e-6, 'codegen': 5e-8}, 'codegen')",
    shows="0.000406",
    parts={"right": 1, "unknown": 1},
    cases=_time_cases,
    judge=_judge_time,
    misconceptions=(
        Misconception(
            "key_error",
            "It raises KeyError, as a dictionary does. Whoever calls knows nothing of your "
            "dictionary: ask whether `costs` has the execution, and raise a ValueError of your "
            "own.",
            _key_error,
        ),
        Misconception(
            "nameless_error",
            "The kind of the error is right. Put the execution's name into its text, so that one "
            "can see what was wrong.",
            _no_name,
        ),
        Misconception(
            "forgets_the_start",
            "The start is missing. It is paid once a forward, also when there are no layers.",
            _known(lambda case: _seconds(case) - _costs(case)["start"]),
        ),
        Misconception(
            "starts_every_layer",
            "The start is paid once a forward, not once for each layer.",
            _known(lambda case: _seconds(case) + _costs(case)["start"] * (_layers(case) - 1)),
        ),
        Misconception(
            "counts_the_gaps",
            "Between 100 layers there are 99 gaps, but somebody also has to find the first layer: "
            "what the execution adds is paid once for each layer.",
            _known(lambda case: _seconds(case) - _each(case)),
        ),
        Misconception(
            "always_codegen",
            "It takes the cost of `codegen`, whatever `execution` says.",
            _known(
                lambda case: (
                    _seconds(case) + _layers(case) * (_costs(case)["codegen"] - _each(case))
                )
            ),
        ),
    ),
    hints=(
        "One sum: the start, and the layers times what each of them takes.",
        "`raise ValueError(f'... {execution!r} ...')` before the sum.",
    ),
    forbids=Forbidden(modules=FORBIDDEN.modules, why=FORBIDDEN.why),
)

EXERCISES: tuple[Exercise, ...] = (GENERATE_FORWARD, _COMPRESS_RUNS, _PREDICT_TIME)

EXPLANATION_ITEM = Choice(
    lab="07",
    number=4,
    best=EXPLANATION.best_number,
    experiments=len(EXPLANATION.experiments),
)
