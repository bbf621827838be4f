"""The exercises of lab 10: autorange, repeat, and which of two programs is faster."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hpml.base.tables import readable
from hpml.course.labs.lab_10_benchmarking.harness import (
    duel,
    seconds_of,
    statement_and_clock,
    value_and_runs,
    verdicts,
)
from hpml.course.labs.lab_10_benchmarking.recordings import recording
from hpml.course.labs.lab_10_benchmarking.samples import (
    BASE,
    Rounds,
    clear_verdict,
    draw_rounds,
    near_the_limit,
)
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.lesson.exercises.outcomes import Outcome, Returned
from hpml.course.lesson.exercises.same import expect, shown

_NO_LIBRARY = Forbidden(
    modules=("timeit", "hpml", "torch", "pyperf"),
    names=("perf_counter", "process_time", "monotonic"),
    why="Time is what `clock` says here, and the exercise is to write the library's function.",
)


def _numbers(data: Mapping[str, Any]) -> list[int]:
    """Return the number of executions in each trial of autorange."""
    wanted = [digit * 10**power for power in range(12) for digit in (1, 2, 5)]
    lasts = [seconds_of(data, place, number) for place, number in enumerate(wanted)]
    return wanted[: next(place for place, s in enumerate(lasts) if s > 0.2 - 1e-12) + 1]


def _autoranged(case: Case) -> dict[str, object]:
    runs = _numbers(case.data)
    result = runs[-1], seconds_of(case.data, len(runs) - 1, runs[-1])
    return {"result": result, "needless readings of the clock": 0, "runs": runs}


def _repeated(case: Case) -> dict[str, object]:
    data = case.data
    number = data["number"]
    runs = 5 * [number]
    found: dict[str, object] = {
        "result": "raises what run raised",
        "needless readings of the clock": 0,
        "runs": runs,
    }
    if "fails" in data:
        found["runs"] = runs[: data["fails"]]
    else:
        found["result"] = [seconds_of(data, place, number) / number for place in range(5)]
    if "collector" in data:
        found |= {"collector on during a run": False, "collector changed": False}
    return found


def _statement(
    name: str, per_call: float, part: str = "right", function: str = "autorange", **more: Any
) -> Case:
    data = {"per_call": per_call, "first": 0.0, "wobble": [0.0], "start": 0.0, **more}
    data |= {"collector": True, **more} if part == "collector" else {}
    call = "autorange(run, clock)"
    if function == "repeat":
        data.setdefault("number", max(1, round(0.25 / per_call)))
        call = f"repeat(run, clock, {data['number']})"
    return Case(name, data, part, f"{call}  # {per_call:g} s per call")


def _wobbly(rng: random.Random, name: str, *kind: str) -> Case:
    wobble = [round(rng.uniform(-0.2, 0.2), 3) for _ in range(7)]
    per_call, start = 10 ** rng.uniform(-7, -1), round(rng.uniform(1, 900), 2)
    return _statement(name, per_call, *kind, wobble=wobble, start=start)


def _autorange_cases(rng: random.Random, more: bool) -> Sequence[Case]:
    cases = [
        _statement("0.2 s at once", 0.2),
        _statement("a tenth of a second", 0.1),
        _statement("30 ms", 0.03),
        _statement("a microsecond", 1e-6),
        _statement("a clock that began long ago", 0.003, start=512.0),
        _statement("a first run that warms up", 0.015, first=0.18),
        _statement("longer than wanted", 3.0),
        _statement("just below 0.2 s", 0.1999999),
        _statement("just above 0.2 s", 0.2000001),
        _statement("a nanosecond and a half", 1.5e-9),
        _statement("less than a clock cycle", 1.3e-12),
        _statement("a clock that shows less than 0", 0.003, start=-64.0),
        _statement("a first run that is long enough", 1e-6, first=0.3),
        _statement("a second run that is disturbed", 0.003, wobble=[0.0, 50.0, 0.0]),
    ]
    return cases + [_wobbly(rng, f"drawn, {place + 1}") for place in range(6 if more else 2)]


def _failing(how: str, fails: int, per_call: float, on: bool = True) -> Case:
    by = next(each for each in ("raises", "is interrupted", "ends") if how.startswith(each))
    kind = ("collector", "repeat")
    return _statement(f"run {how}", per_call, *kind, fails=fails, by=by, collector=on)


def _repeat_cases(rng: random.Random, more: bool) -> Sequence[Case]:
    wobble = [0.0, 0.3, 0.1, 0.2, -0.1, 0.05, 0.15]
    right, collector = ("right", "repeat"), ("collector", "repeat")
    cases = [
        _statement("a fifth of a second", 0.2, *right),
        _statement("runs that differ", 0.5, *right, wobble=wobble),
        _statement("a microsecond", 1e-6, *right, wobble=wobble, start=64.0),
        _statement("a first run that warms up", 0.1, *right, first=5.0),
        _statement("runs that get faster", 0.03, *right, wobble=[-0.05 * k for k in range(10)]),
        _statement("a clock that shows less than 0", 1.5e-9, *right, wobble=wobble, start=-64.0),
        _statement("one call in each sample", 0.7, *right, wobble=wobble, number=1),
        _statement("samples of a microsecond", 1e-7, *right, wobble=wobble, number=10),
        _statement("the collector is on before", 0.25, *collector, start=16.0),
        _statement("the collector is off before", 0.25, *collector, collector=False),
        _failing("raises at once", 0, 0.1),
        _failing("raises in a sample", 2, 0.1),
        _failing("raises in the last sample, the collector is off before", 4, 0.1, False),
        _failing("raises at once, the collector is off before", 0, 0.1, False),
        _failing("is interrupted at once", 0, 0.1),
        _failing("is interrupted in the last sample", 4, 0.01),
        _failing("is interrupted in a sample", 3, 0.1),
        _failing("ends the program", 1, 0.01),
        _failing("ends the program, the collector is off before", 3, 0.1, False),
    ]
    for place in range(4 if more else 1):
        cases.append(_wobbly(rng, f"drawn, {place + 1}", *right))
        cases.append(_wobbly(rng, f"drawn, the collector, {place + 1}", *collector))
    return cases


_AUTORANGE = Exercise(
    name="autorange",
    minutes=6,
    parts={"right": 2},
    cases=_autorange_cases,
    judge=expect(_autoranged, tolerance=1e-9),
    arguments=statement_and_clock,
    observe=value_and_runs,
    core=False,
    forbids=_NO_LIBRARY,
)

_REPEAT = Exercise(
    name="repeat",
    minutes=6,
    parts={"right": 1, "collector": 1},
    cases=_repeat_cases,
    judge=expect(_repeated, tolerance=1e-9),
    arguments=statement_and_clock,
    observe=value_and_runs,
    forbids=_NO_LIBRARY,
)


Chosen = Callable[[Sequence[float], Sequence[float]], bool]


def _drawn(
    make: Callable[[], Rounds], wanted: str, turned: bool, chosen: Chosen | None = None
) -> Rounds:
    """Draw until every sound rule gives the wanted verdict, so that no points depend on luck."""
    while True:
        a, b = make()
        if turned:
            a, b = b, a
        seen = clear_verdict(a, b)
        fits = seen and (seen == "cannot tell") == (wanted == "cannot tell")
        if fits and (chosen is None or chosen(a, b)):
            return a, b


def _duel(name: str, part: str, a: Sequence[float], b: Sequence[float]) -> Case:
    wins, losses = _wins(a, b), _wins(b, a)
    quotient = statistics.median(x / y for x, y in zip(a, b, strict=True))
    seen = f"a won {wins} rounds, b won {losses}; the median of a/b is {readable(quotient, 3)}"
    call = f"is_faster(a, b)  # {seen}" if len(a) > 6 else ""
    return Case(f"{name}, {len(a)} rounds", {"a": list(a), "b": list(b)}, part, call)


def _wins(a: Sequence[float], b: Sequence[float]) -> int:
    return sum(x < y for x, y in zip(a, b, strict=True))


def _alone(place: int) -> Chosen:
    """Return a test that one of minimum, mean and most rounds clearly contradicts the others."""

    def chosen(a: Sequence[float], b: Sequence[float]) -> bool:
        wins, rules = _wins(a, b), (min, statistics.mean, statistics.median)
        if 2 * wins == len(a) or any(abs(rule(a) / rule(b) - 1) < 0.03 for rule in rules):
            return False
        seen = [min(a) < min(b), statistics.mean(a) < statistics.mean(b), 2 * wins > len(a)]
        return seen.count(seen[place]) == 1

    return chosen


def _minimum_right(a: Sequence[float], b: Sequence[float]) -> bool:
    """Return whether the minimum agrees clearly with the mean."""
    x, y = sorted((a, b), key=statistics.mean)
    return min(x) < 0.97 * min(y)


def _overlap(a: Sequence[float], b: Sequence[float]) -> bool:
    """Return whether drift hides the difference from a rule that ignores the pairing."""
    apart = abs(statistics.mean(a) - statistics.mean(b))
    error = math.sqrt((statistics.variance(a) + statistics.variance(b)) / len(a))
    return apart < 1.5 * error and _minimum_right(a, b)


def _small_majority(a: Sequence[float], b: Sequence[float]) -> bool:
    """Return whether neither the first rounds nor a 70 % majority decide."""
    return max(_wins(a, b), _wins(b, a)) < 0.7 * len(a) and 0 < _wins(a[:6], b[:6]) < 6


def _one_great_loss(rng: random.Random) -> Rounds:
    """Return six rounds, of which a wins five by little and loses one by much."""
    a, b = draw_rounds(rng, 6, more=0.03, noise=0.003)
    a[rng.randrange(6)] = round(1.4 * BASE, 1)
    return a, b


def _duels(rng: random.Random, more: bool) -> Sequence[Case]:
    cases = []
    turned = rng.random() < 0.5  # from one sample to the next the other is slower, in each part
    turns = dict.fromkeys(("clear", "equal", "paired"), turned)
    for place in range(3 if more else 1):

        def add(
            name: str,
            part: str,
            wanted: str,
            make: Callable[[], Rounds],
            chosen: Chosen | None = None,
            place: int = place,
        ) -> None:
            turns[part] = not turns[part]
            a, b = _drawn(make, wanted, turns[part], chosen)
            if "seconds" in name:
                a, b = ([float(f"{1e-6 * x:.4g}") for x in times] for times in (a, b))
            cases.append(_duel(f"{name} ({place + 1})", part, a, b))

        def drawn(rounds: int, **machine: Any) -> Callable[[], Rounds]:
            return lambda: draw_rounds(rng, rounds, **machine)

        add("one takes twice as long", "clear", "differ", drawn(25, more=1.0))
        add("one takes a third more, in seconds", "clear", "differ", drawn(30, more=0.33))
        add("outliers", "clear", "differ", drawn(40, more=0.3, outliers=0.1))
        # So that the answer "cannot tell" alone earns nothing.
        add("six rounds agree", "equal", "differ", drawn(6, more=1.0, noise=0.03))
        add("recorded: quiet", "clear", "differ", _recorded(rng, "quiet"))
        add("equal, but for noise", "equal", "cannot tell", drawn(25, noise=0.15), _alone(0))
        add("equal, in seconds", "equal", "cannot tell", drawn(40, noise=0.2), _alone(1))
        add("five of six", "equal", "cannot tell", lambda: _one_great_loss(rng))
        add("recorded: equal", "equal", "cannot tell", _recorded(rng, "equal"))
        add("a drift", "paired", "differ", drawn(31, more=0.05, drift=0.6, noise=0.006), _overlap)
        add("a drift downwards", "paired", "differ",
            drawn(25, more=0.08, drift=-0.6, noise=0.006), _overlap)  # fmt: skip
        add("a small difference", "paired", "differ", drawn(120, more=0.013), _small_majority)
        add("recorded: drift", "paired", "differ", _recorded(rng, "drift"), _minimum_right)
        cases.append(_near_the_limit(rng, place))
        same = [BASE] * (12 + place)
        few_wins = {
            "one win, the rest draws": ([0.9 * BASE, *same], [BASE, *same]),
            "one loss, the rest draws": ([BASE, *same], [0.9 * BASE, *same]),
            "draws, a win and a loss": ([50.0, *same, BASE], [BASE, *same, 50.0]),
        }
        few = {"five": draw_rounds(rng, 5, more=1.0), "three": draw_rounds(rng, 3, more=2.5)}
        few |= {"two": ([1.0, 1.0], [9.0, 8.0]), "one": ([BASE], [2 * BASE])}
        for name, times in {
            **few,
            **few_wins,
            "the clock sees no difference": (same, same),
        }.items():
            cases.append(_duel(f"{name} ({place + 1})", "equal", *times))
    cases.append(_duel("whole numbers", "clear", [5, 6, 5, 6, 5, 6], [7, 9, 8, 8, 7, 9]))
    cases.append(Case("no rounds", {"a": [], "b": []}, "equal"))
    return cases


def _near_the_limit(rng: random.Random, place: int) -> Case:
    (a, b), *others = near_the_limit(rng)
    call = f"is_faster(a, b)  # {len(others) + 1} times, 100 rounds each"
    data = {"a": a, "b": b, "others": [list(each) for each in others]}
    return Case(f"equal programs that look different ({place + 1})", data, "equal", call)


def _recorded(rng: random.Random, name: str) -> Callable[[], Rounds]:
    """Return a function that draws 50 rounds of a recording, in their order."""
    found = recording(name)

    def some() -> Rounds:
        kept = sorted(rng.sample(range(len(found.a)), 50))
        return [found.a[k] for k in kept], [found.b[k] for k in kept]

    return some


def _judge_duels(case: Case, outcome: Outcome) -> Wrong | None:
    """Judge a verdict, or the share of verdicts on samples near the limit."""
    if "others" not in case.data:
        return expect(_verdict)(case, outcome)
    number = len(case.data["others"]) + 1
    wanted = f"'cannot tell' for most of {number} pairs of equal programs"
    found = outcome.value if isinstance(outcome, Returned) else None
    if not isinstance(found, list) or not {*found} <= {"faster", "slower", "cannot tell"}:
        return Wrong(wanted, shown(outcome))
    told = number - found.count("cannot tell")
    if told <= number // 4:
        return None
    why = "One false verdict in twenty is accepted, one in ten is not: do both directions count?"
    return Wrong(wanted, f"'faster' or 'slower' for {told}", why)


def _verdict(case: Case) -> str:
    a, b = (case.data[name] for name in "ab")
    if len(a) < 6 or sum(x != y for x, y in zip(a, b, strict=True)) < 3:
        return "cannot tell"
    found = clear_verdict(a, b)
    assert found is not None  # ensured by `_drawn`
    return found


_IS_FASTER = Exercise(
    name="is_faster",
    minutes=8,
    parts={"clear": 1, "equal": 1, "paired": 1},
    cases=_duels,
    judge=_judge_duels,
    arguments=duel,
    observe=verdicts,
    forbids=Forbidden(
        modules=("hpml", "scipy", "torch"),
        why="The exercise is to write the rule; plain Python is enough.",
    ),
)

EXERCISES: tuple[Exercise, ...] = (_AUTORANGE, _REPEAT, _IS_FASTER)
