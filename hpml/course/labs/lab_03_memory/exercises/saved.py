"""Exercise 03.3: the bytes that autograd keeps; the oracle applies the rules without torch."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from hpml.course.labs.lab_03_memory.harness import network
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden
from hpml.course.lesson.exercises.same import expect

_Layer = tuple[str | int | bool, ...]
_ACTIVATIONS = ("ReLU", "Tanh", "GELU")
_SIZES = {"float16": 2, "float32": 4, "float64": 8}


def _linear(inputs: int, outputs: int, trained: bool = True) -> _Layer:
    return ("Linear", inputs, outputs, trained)


def _saved(case: Case) -> int:
    """Return the bytes that autograd keeps, computed from its rules."""
    numbers: list[int] = [math.prod(case.data["shape"])]
    kept: set[int] = set()
    trained = False
    for place, (kind, *sizes) in enumerate(case.data["layers"]):
        after = numbers[-1]
        if kind == "Linear":
            after = after // sizes[0] * sizes[1]
            trained = trained or sizes[2]
            kept |= {place} if sizes[2] else set()
        elif trained:
            kept.add(place if kind == "GELU" else place + 1)
        numbers.append(after)
    size = _SIZES[case.data["dtype"]]
    return size * sum(numbers[place] for place in kept)


def _network_case(
    name: str,
    layers: Sequence[_Layer],
    shape: Sequence[int],
    part: str = "right",
    dtype: str = "float32",
) -> Case:
    def text(layer: _Layer) -> str:
        kind, *sizes = layer
        if not sizes:
            return f"{kind}()"
        return f"{kind}({sizes[0]}, {sizes[1]}){'' if sizes[2] else ' frozen'}"

    call = f"saved_bytes([{', '.join(map(text, layers))}], x of {tuple(shape)}, {dtype})"
    data = {"layers": [list(layer) for layer in layers], "shape": list(shape), "dtype": dtype}
    return Case(name, data, part, call)


def _drawn_network(generator: random.Random, frozen: bool) -> list[_Layer]:
    width, layers = generator.randint(2, 30), list[_Layer]()
    for number in range(generator.randint(2, 5)):
        after = generator.randint(2, 30)
        layers.append(_linear(width, after, not (frozen and number in (0, 2))))
        width = after
        if generator.random() < 0.8:
            layers.append((generator.choice(_ACTIVATIONS),))
    return layers


def _network_cases(generator: random.Random, more: bool) -> Sequence[Case]:
    relu, tanh, gelu = (("ReLU",), ("Tanh",), ("GELU",))
    lecture = [_linear(1000, 100), relu, _linear(100, 10)]
    hidden, last, fixed = _linear(3, 5), _linear(5, 2), _linear(3, 5, False)
    known: dict[str, list[_Layer]] = {
        "one linear layer": [hidden],
        "two without anything between": [hidden, _linear(5, 4)],
        "tanh at the end": [hidden, tanh],
        "gelu": [hidden, gelu, last],
        "no layer to train": [relu, tanh],
        "relu first": [relu, hidden],
        "relu, then tanh": [hidden, relu, tanh, relu, tanh, last],
        "gelu after gelu": [hidden, gelu, gelu],
        "the first layer frozen": [fixed, relu, last],
        "the last layer frozen": [hidden, relu, _linear(5, 2, False)],
        "frozen after gelu": [hidden, gelu, _linear(5, 2, False), gelu],
        "all frozen": [fixed, relu, gelu],
        "no layers": [],
        "all of one width": [_linear(3, 3), relu, _linear(3, 3), tanh, _linear(3, 3)],
        "gelu after relu": [hidden, relu, gelu, last],
        "relu after gelu": [hidden, gelu, relu, last],
        "gelu between two linear layers of one width": [_linear(3, 3), gelu, _linear(3, 3)],
        "gelu first": [gelu, hidden],
        "frozen first and last": [fixed, gelu, last, relu, _linear(2, 4, False), tanh],
        "two frozen, then one trained": [fixed, relu, _linear(5, 5, False), gelu, last, gelu],
    }
    cases = [
        _network_case(name, layers, (2, 3), "frozen" if "frozen" in name else "right")
        for name, layers in known.items()
    ]
    cases += [
        _network_case("the lecture's network", lecture, (64, 1000)),
        _network_case("a batch of sequences", [hidden, relu, last], (4, 7, 3)),
        _network_case("five axes", [hidden, gelu, last], (2, 1, 3, 2, 3)),
        _network_case("a batch of one", [hidden, tanh, last], (1, 3)),
        _network_case("an empty batch", [hidden, tanh, last], (0, 3)),
        _network_case("float16", [hidden, gelu, last], (2, 3), dtype="float16"),
        _network_case("float64", [hidden, relu, last], (2, 3), dtype="float64"),
    ]
    for number in range(5 if more else 1):
        for frozen in (False, True):
            layers = _drawn_network(generator, frozen)
            shape = (generator.randint(2, 50), int(layers[0][1]))
            name = f"drawn, {'some frozen' if frozen else 'all trained'}, number {number + 1}"
            part = "frozen" if frozen else "right"
            dtype = generator.choice(list(_SIZES))
            cases.append(_network_case(name, layers, shape, part, dtype))
    return cases


_HOOKS = (
    "save_on_cpu",
    "register_hook",
    "register_forward_hook",
    "register_forward_pre_hook",
    "register_full_backward_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
)

SAVED_BYTES = Exercise(
    name="saved_bytes",
    minutes=12,
    parts={"right": 2, "frozen": 1},
    cases=_network_cases,
    judge=expect(_saved),
    forbids=Forbidden(
        modules=("hpml",),
        names=("saved_tensors_hooks", "saved_tensors", "grad_fn", "TorchDispatchMode", *_HOOKS),
        why="Predict the bytes; do not measure them.",
    ),
    arguments=network,
    seconds=60,
    packages=("numpy", "torch"),
)
