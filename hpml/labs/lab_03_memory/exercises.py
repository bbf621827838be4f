"""The exercises of lab 03: a cycle of references, an array in place, what autograd keeps."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any, cast

from hpml.base.tables import format_bytes
from hpml.course.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.exercises.outcomes import Outcome, Raised, Returned, observed, symptom
from hpml.course.exercises.same import difference, expect, shown
from hpml.labs.lab_03_memory.harness import in_place, network, numbers, objects, observed_cycle

# --- find_cycle ---

_DEEP = 5_000
_KINDS = ("list", "dict", "node")


def _references(
    name: str,
    refers: Sequence[Sequence[int]],
    kinds: Sequence[str] = ("list",),
    part: str = "right",
    hidden: Sequence[int] = (),
) -> Case:
    said = [kinds[place % len(kinds)] for place in range(len(refers))]
    arrows = ", ".join(
        f"{place}→{other}" for place, others in enumerate(refers) for other in others
    )
    names = "objects" if len(arrows) > 70 else arrows or "no references"
    given = [place for place in range(len(refers)) if place not in hidden]
    call = f"find_cycle(objects)  # {len(given)} of {'/'.join(dict.fromkeys(said))}: {names}"
    if hidden:
        call += f"; without {', '.join(map(str, hidden))}"
    data = {"refers": [list(others) for others in refers], "kinds": said, "hidden": list(hidden)}
    return Case(name, data, part, call)


def _ladder(rungs: int) -> list[list[int]]:
    """Return references that branch and join again: very many ways, and no cycle."""
    refers = [[2 * rung + 2, 2 * rung + 3] for rung in range(rungs) for _ in range(2)]
    return [*refers, [], []]


def _random_references(generator: random.Random, count: int, cycle: bool) -> list[list[int]]:
    refers = [
        generator.sample(range(place), min(place, generator.randint(0, 3)))
        for place in range(count)
    ]
    if cycle:
        low, *middle, high = sorted(generator.sample(range(count), generator.randint(2, 5)))
        ring = [low, *middle, high]
        for place, after in zip(ring, [*ring[1:], low], strict=True):
            refers[place] = [after, *refers[place]][:3]
    names = list(range(count))
    generator.shuffle(names)
    mixed: list[list[int]] = [[] for _ in names]
    for place, others in enumerate(refers):
        mixed[names[place]] = [names[other] for other in others]
    return mixed


def _chain(length: int, back_to: int | None) -> list[list[int]]:
    return [*([place + 1] for place in range(length - 1)), [] if back_to is None else [back_to]]


def _cycle_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    node = ("node",)
    cases = [
        _references("two lists, each in the other", [[1], [0]]),
        _references("one after the other", [[1], [2], []]),
        _references("a list in itself", [[0]]),
        _references("nothing", []),
        _references("a way that leads into a cycle", [[1], [2], [3], [1]]),
        _references("one that two refer to", [[1, 2], [3], [3], []]),
        _references("the cycle begins elsewhere", [[], [2], [3], [1]], _KINDS),
        _references("objects that cannot be compared", [[1], [2], [0]], node),
        _references("the cycle goes through one not given", [[1], [2], [0]], node, hidden=[1]),
        _references("a way out of a cycle", [[1, 3], [2], [1], []], _KINDS),
        _references("thirty diamonds", _ladder(30), node, "deep"),
        _references(f"a chain of {_DEEP:,}", _chain(_DEEP, None), node, "deep"),
        _references(
            f"a chain of {_DEEP:,} that closes", _chain(_DEEP, generator.randrange(_DEEP - 1)),
            node, "deep",
        ),
    ]  # fmt: skip
    for number in range(8 if more else 2):
        cycle = number % 2 == 0
        refers = _random_references(generator, generator.randint(6, 14), cycle)
        said = "with" if cycle else "without"
        cases.append(_references(f"drawn, {said} a cycle, number {number + 1}", refers, _KINDS))
    return cases


def _has_cycle(refers: Sequence[Sequence[int]], hidden: Sequence[int]) -> bool:
    """Take away whatever refers to nothing that is left; what remains goes round."""
    left = {place: set(others) - set(hidden) for place, others in enumerate(refers)}
    referring: dict[int, list[int]] = {}
    for place, others in left.items():
        for other in others:
            referring.setdefault(other, []).append(place)
    waiting = [place for place, others in left.items() if not others or place in hidden]
    taken = set(waiting)
    while waiting:
        gone = waiting.pop()
        for place in referring.get(gone, ()):
            left[place].discard(gone)
            if not left[place] and place not in taken:
                taken.add(place)
                waiting.append(place)
    return len(taken) < len(left)


def _cycle_fault(case: Case, outcome: Outcome) -> str:
    """Return what is wrong with the objects that were returned, or an empty text."""
    data = cast("Mapping[str, Any]", case.data)
    found = (observed(outcome) or {}).get("cycle")
    if not isinstance(found, list):
        return "It is no list."
    if -1 in found or set(found) & set(data["hidden"]):
        return "It names an object that is not in `objects`."
    if not found:
        return "There is a cycle." if _has_cycle(data["refers"], data["hidden"]) else ""
    if len(set(found)) < len(found):
        return "It names an object twice."
    for place, after in zip(found, [*found[1:], found[0]], strict=True):
        if after not in data["refers"][place]:
            return "One does not refer to the next, or the last not to the first."
    return ""


def _judge_cycle(case: Case, outcome: Outcome) -> Wrong | None:
    fault = _cycle_fault(case, outcome)
    if not fault:
        return None
    data = cast("Mapping[str, Any]", case.data)
    cycle = _has_cycle(data["refers"], data["hidden"])
    expected = "a list of the objects of a cycle" if cycle else "[], there is no cycle"
    found = (observed(outcome) or {}).get("cycle")
    if isinstance(found, list):
        names = ["a stranger" if place == -1 else f"object {place}" for place in found[:8]]
        return Wrong(expected, f"[{', '.join(names)}{', ...' * (len(found) > 8)}]", fault)
    kind = (observed(outcome) or {}).get("result")
    return Wrong(expected, f"a {kind}" if kind else shown(outcome))


def _cycle_symptom(case: Case, outcome: Outcome) -> object:
    if isinstance(outcome, Returned):
        return [_cycle_fault(case, outcome), bool(outcome.changed)]
    return symptom(case, outcome)


_FIND_CYCLE = Exercise(
    lab="03",
    number=1,
    name="find_cycle",
    parts={"right": 1, "deep": 1},
    cases=_cycle_cases,
    judge=_judge_cycle,
    symptom=_cycle_symptom,
    hints={
        "right": (
            "Follow references from an object, and keep the way you came: a cycle is closed when "
            "you meet an object that is on your way.",
            "An object that you met on another way closes nothing. `id(one)` is a key for any "
            "object.",
        ),
        "deep": (
            "From which objects do you know already that no cycle can be reached?",
            "Keep the way in a list of your own: Python allows about a thousand open calls.",
        ),
    },
    core=False,
    forbids=Forbidden(modules=("graphlib", "networkx"), names=("setrecursionlimit",),
                      why="The search is the exercise."),
    arguments=objects,
    observe=observed_cycle,
    seconds=10,
)  # fmt: skip


# --- normalise_in_place ---

_LONG = 100_000
ALLOWED = 32 * 1024
"""Bytes that may be allocated at a time, for an array of 800,000."""


def _array_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    def drawn(count: int) -> list[float]:
        return [round(generator.uniform(-50, 50), 3) for _ in range(count)]

    few: dict[str, list[float]] = {
        "two numbers": [1.0, 3.0],
        "three numbers": [0.0, 0.0, 3.0],
        "a single number": [5.0],
        "all the same": [4.0, 4.0, 4.0],
        "mean 0, spread 1 already": [-1.0, 1.0, -1.0, 1.0],
        "large, and close together": [1e6 + 1, 1e6 + 2, 1e6 + 4],
        "drawn": drawn(5),
    }
    for number in range(5 if more else 0):
        few[f"drawn, number {number + 1}"] = drawn(generator.randint(2, 40))
        few[f"all {number + 7}"] = [number + 7.0] * generator.randint(2, 9)
    cases = [Case(name, {"x": x}, call=f"normalise_in_place(np.array({x}))")
             for name, x in few.items()]  # fmt: skip
    for number in range(2 if more else 1):
        x = drawn(50)
        call = f"normalise_in_place(x)  # {_LONG:,} numbers, {8 * _LONG // 1000} kB"
        name = f"a long array, number {number + 1}"
        cases.append(Case(name, {"x": x, "length": _LONG}, "in place", call))
    return cases


def _normalised(case: Case) -> list[float]:
    x = cast("list[float]", case.data["x"])
    mean = math.fsum(x) / len(x)
    spread = math.sqrt(math.fsum((number - mean) ** 2 for number in x) / len(x))
    right = [(number - mean) / (spread or 1) for number in x]
    length = cast("int", case.data.get("length", len(x)))
    return (right * (length // len(x) + 1))[: min(length, 100)]


def _array_fault(case: Case, outcome: Outcome) -> tuple[str, str]:
    """Return a word for what is wrong and a sentence, both empty if nothing is."""
    found = observed(outcome)
    if found is None:
        return "no answer", ""
    got = _floats(found.get("x"))
    expected = _normalised(case)
    if difference(expected, got, tolerance=1e-6) is not None:
        before = cast("list[float]", case.data["x"])
        same = difference(before, got[: len(before)], tolerance=1e-12) is None
        if same:
            return "unchanged", "The array itself was left as it was."
        return ("nan" if any(map(math.isnan, got)) else "values"), "The array holds other numbers."
    if found.get("returned") is not True:
        return "returned", "The array is right, but it was not returned."
    if case.part == "in place" and found["peak"] > ALLOWED:
        return "peak", "The numbers are right, and were computed in new memory."
    return "", ""


def _floats(value: object) -> list[float]:
    import struct

    data = getattr(value, "data", b"")
    return list(struct.unpack(f"<{len(data) // 8}d", data))


def _judge_array(case: Case, outcome: Outcome) -> Wrong | None:
    word, why = _array_fault(case, outcome)
    if not word:
        return None
    found = observed(outcome)
    right = [round(number, 4) for number in _normalised(case)[:4]]
    if found is None:
        return Wrong(f"x is {right}", shown(outcome))
    if word == "peak":
        return Wrong(f"at most {format_bytes(ALLOWED)} of new memory at a time",
                     f"{format_bytes(found['peak'])}", why)  # fmt: skip
    if word == "returned":
        return Wrong("x itself is returned", "something else", why)
    got = [round(number, 4) for number in _floats(found.get("x"))[:4]]
    dots = ", ..." * (len(_normalised(case)) > 4)
    return Wrong(f"x becomes {str(right)[:-1]}{dots}]", f"{str(got)[:-1]}{dots}]", why)


def _array_symptom(case: Case, outcome: Outcome) -> object:
    if not isinstance(outcome, Returned):
        return symptom(case, outcome)
    word, _ = _array_fault(case, outcome)
    peak = cast("Mapping[str, Any]", outcome.value)["peak"]
    # How many arrays lived at a time tells two ways of computing apart.
    return [word, round(peak / (8 * _LONG)) if case.part == "in place" else 0]


_NORMALISE = Exercise(
    lab="03",
    number=2,
    name="normalise_in_place",
    parts={"right": 1, "in place": 1},
    cases=_array_cases,
    judge=_judge_array,
    symptom=_array_symptom,
    hints={
        "right": (
            "`x -= 1` changes the array; `x = x - 1` makes another one and lets go of yours.",
            "The standard deviation is the root of the mean of the squares, once the mean is 0.",
        ),
        "in place": (
            "`allocation_lines(normalise_in_place, x)` shows which line allocates.",
            "`x ** 2` is an array. `np.dot(x, x)` adds up the squares and makes none.",
        ),
    },
    forbids=Forbidden(
        modules=("torch", "ctypes"), names=("tracemalloc",),
        why="NumPy alone, so that every allocation can be counted.",
    ),
    arguments=numbers,
    observe=in_place,
    keeps_arguments=False,
)  # fmt: skip


# --- saved_bytes ---

_Layer = tuple[str | int | bool, ...]
_BENDS = ("ReLU", "Tanh", "GELU")


def _linear(inputs: int, outputs: int, trained: bool = True) -> _Layer:
    return ("Linear", inputs, outputs, trained)


def _saved(case: Case) -> int:
    """Measure the very network, on tensors without numbers."""
    from hpml.profiling import saved_tensors

    given = network(case.data)
    return saved_tensors(given["model"], given["x"]).total


def _network_case(
    name: str, layers: Sequence[_Layer], shape: Sequence[int], part: str = "right",
    dtype: str = "float32",
) -> Case:  # fmt: skip
    def text(layer: _Layer) -> str:
        kind, *sizes = layer
        if not sizes:
            return f"{kind}()"
        return f"{kind}({sizes[0]}, {sizes[1]}){'' if sizes[2] else ' frozen'}"

    of = "" if dtype == "float32" else f", {dtype}"
    call = f"saved_bytes([{', '.join(map(text, layers))}], x of {tuple(shape)}{of})"
    data = {"layers": [list(layer) for layer in layers], "shape": list(shape), "dtype": dtype}
    return Case(name, data, part, call)


def _drawn_network(generator: random.Random, frozen: bool) -> list[_Layer]:
    width, layers = generator.randint(2, 30), list[_Layer]()
    for number in range(generator.randint(2, 5)):
        after = generator.randint(2, 30)
        layers.append(_linear(width, after, not (frozen and number in (0, 2))))
        width = after
        if generator.random() < 0.8:
            layers.append((generator.choice(_BENDS),))
    return layers


def _network_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    relu, tanh, gelu = (("ReLU",), ("Tanh",), ("GELU",))
    lecture = [_linear(1000, 100), relu, _linear(100, 10)]
    cases = [
        _network_case("one linear layer", [_linear(3, 5)], (2, 3)),
        _network_case("two without anything between", [_linear(3, 5), _linear(5, 4)], (2, 3)),
        _network_case("the lecture's network", lecture, (64, 1000)),
        _network_case("tanh at the end", [_linear(3, 5), tanh], (2, 3)),
        _network_case("gelu", [_linear(3, 5), gelu, _linear(5, 2)], (2, 3)),
        _network_case("no layer to train", [relu, tanh], (2, 3)),
        _network_case("relu first", [relu, _linear(3, 5)], (2, 3)),
        _network_case("two bends in a row", [_linear(3, 5), relu, tanh, _linear(5, 2)], (2, 3)),
        _network_case("gelu after gelu", [_linear(3, 5), gelu, gelu], (2, 3)),
        _network_case("a batch of sequences", [_linear(3, 5), relu, _linear(5, 2)], (4, 7, 3)),
        _network_case("float64", [_linear(3, 5), relu, _linear(5, 2)], (2, 3), dtype="float64"),
        _network_case(
            "the first layer frozen", [_linear(3, 5, False), relu, _linear(5, 2)], (2, 3), "frozen"
        ),
        _network_case(
            "the last layer frozen", [_linear(3, 5), relu, _linear(5, 2, False)], (2, 3), "frozen"
        ),
        _network_case(
            "frozen after gelu", [_linear(3, 5), gelu, _linear(5, 2, False), gelu], (2, 3),
            "frozen",
        ),
        _network_case("all frozen", [_linear(3, 5, False), relu, gelu], (2, 3), "frozen"),
        _network_case("too large to exist", [_linear(10**5, 10**6), relu, _linear(10**6, 9)],
                      (10**4, 10**5)),
    ]  # fmt: skip
    for number in range(5 if more else 1):
        for frozen in (False, True):
            layers = _drawn_network(generator, frozen)
            shape = (generator.randint(2, 50), int(layers[0][1]))
            name = f"drawn, {'some frozen' if frozen else 'all trained'}, number {number + 1}"
            part = "frozen" if frozen else "right"
            dtype = generator.choice(["float32", "float64", "float16"])
            cases.append(_network_case(name, layers, shape, part, dtype))
    return cases


_judge_saved = expect(_saved)


def _saved_symptom(case: Case, outcome: Outcome) -> object:
    if isinstance(outcome, Raised):
        return symptom(case, outcome)
    return outcome.value if isinstance(outcome, Returned) else symptom(case, outcome)


_SAVED_BYTES = Exercise(
    lab="03",
    number=3,
    name="saved_bytes",
    parts={"right": 2, "frozen": 1},
    cases=_network_cases,
    judge=_judge_saved,
    symptom=_saved_symptom,
    hints={
        "right": (
            "Go through the layers with `y = layer(x)`. Which of the two does this layer save?",
            "A result and the next layer's input are one tensor. A dictionary under `id(tensor)` "
            "keeps it once.",
        ),
        "frozen": (
            "A weight that needs no gradient needs no input for it.",
            "Whether anything before a layer is trained, `requires_grad` of its input says.",
        ),
    },
    forbids=Forbidden(
        modules=("hpml",),
        names=("saved_tensors_hooks", "saved_tensors", "grad_fn", "TorchDispatchMode"),
        why="The bytes are to be predicted, not measured.",
    ),
    arguments=network,
    seconds=60,
    packages=("numpy", "torch"),
)


EXERCISES: tuple[Exercise, ...] = (_FIND_CYCLE, _NORMALISE, _SAVED_BYTES)
