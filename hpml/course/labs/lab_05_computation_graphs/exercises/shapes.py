"""Exercise 05.3: the shape after each layer, and the first layer that does not fit."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden, Wrong
from hpml.course.lesson.exercises.outcomes import Outcome, Raised, symptom
from hpml.course.lesson.exercises.same import expect, shown

Layer = tuple[str, dict[str, int]]


def shapes_after(layers: Sequence[Layer], shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the shape after each layer; raise ValueError with the first that does not fit."""
    found = []
    for position, (kind, parameters) in enumerate(layers):
        after = _after(kind, parameters, shape)
        if after is None:
            raise ValueError(f"layer {position} ({kind})")
        shape = after
        found.append(shape)
    return found


def _after(
    kind: str, parameters: Mapping[str, int], shape: tuple[int, ...]
) -> tuple[int, ...] | None:
    if kind == "relu":
        return shape
    if kind == "flatten":
        return shape[0], math.prod(shape[1:])
    if kind == "linear":
        fits = shape[-1] == parameters["in_features"]
        return (*shape[:-1], parameters["out_features"]) if fits else None
    if len(shape) != 4:
        return None
    batch, channels, *sides = shape
    kernel = parameters["kernel_size"]
    if kind == "max_pool2d":
        stride, padding, out = parameters.get("stride", kernel), 0, channels
    else:
        if channels != parameters["in_channels"]:
            return None
        stride, padding = parameters.get("stride", 1), parameters.get("padding", 0)
        out = parameters["out_channels"]
    after = tuple(len(range(-padding, side + padding - kernel + 1, stride)) for side in sides)
    return (batch, out, *after) if min(after) >= 1 else None


def _linear(inputs: int, outputs: int) -> Layer:
    return "linear", {"in_features": inputs, "out_features": outputs}


def _conv(inputs: int, outputs: int, kernel: int, **more: int) -> Layer:
    parameters = {"in_channels": inputs, "out_channels": outputs, "kernel_size": kernel, **more}
    return "conv2d", parameters


def _pool(kernel: int, **more: int) -> Layer:
    return "max_pool2d", {"kernel_size": kernel, **more}


_RELU: Layer = ("relu", {})
_FLATTEN: Layer = ("flatten", {})


def _random_layers(
    generator: random.Random, shape: tuple[int, ...], length: int
) -> tuple[list[Layer], list[Layer]]:
    """Return layers that fit, and the same with an additional one that does not."""
    layers: list[Layer] = []
    shapes = [shape]
    while len(layers) < length:
        shape = shapes[-1]
        stride = generator.choice([{}, {"stride": generator.randint(1, 3)}])
        padding = generator.choice([{}, {"padding": generator.randint(0, 3)}])
        out, kernel = generator.randint(1, 12), generator.randint(1, 5)
        choices = [_RELU, _linear(shape[-1], generator.randint(1, 40))]
        if len(shape) == 4:
            conv, pool = _conv(shape[1], out, kernel, **stride, **padding), _pool(kernel, **stride)
            choices = [_RELU, conv, conv, pool, _FLATTEN][: 4 + (len(layers) >= length // 2)]
        layer = generator.choice(choices)
        after = _after(*layer, shape)
        if after is not None and max(after) < 5000:
            layers.append(layer)
            shapes.append(after)
    place = generator.randint(0, length)
    features = shapes[place][-1] + generator.randint(1, 3)
    # No random network has so many channels or such large pictures.
    wrong = generator.choice([_linear(features, 4), _conv(99, 3, 1), _pool(100)])
    return layers, [*layers[:place], wrong, *layers[place:]]


def _cases(generator: random.Random, more: bool) -> Sequence[Case]:
    net = [_conv(1, 6, 5, padding=2), _RELU, _pool(2), _FLATTEN, _linear(1176, 10)]
    tried: dict[str, tuple[list[Layer], tuple[int, ...]]] = {
        "one linear layer": ([_linear(3, 5)], (2, 3)),
        "no layer": ([], (2, 3)),
        "relu keeps the shape": ([_RELU, _linear(3, 5), _RELU], (4, 3)),
        "flatten keeps the batch": ([_FLATTEN], (2, 3, 4, 5)),
        "a linear layer on a picture": ([_linear(5, 7)], (2, 3, 4, 5)),
        "a convolution": ([_conv(3, 8, 3)], (2, 3, 10, 12)),
        "a convolution with padding": ([_conv(3, 8, 3, padding=1)], (2, 3, 10, 12)),
        "a stride that does not divide": ([_conv(3, 8, 3, stride=2)], (2, 3, 10, 12)),
        "one row is left": ([_conv(3, 8, 5)], (2, 3, 5, 12)),
        "one column is left": ([_conv(3, 8, 5)], (2, 3, 12, 5)),
        "pooling": ([_pool(2)], (2, 3, 10, 13)),
        "pooling with a stride": ([_pool(3, stride=1)], (2, 3, 10, 12)),
        "a small network": (net, (16, 1, 28, 28)),
        "flatten of two axes": ([_FLATTEN, _linear(3, 5)], (2, 3)),
        "five axes": ([_RELU, _linear(3, 5), _FLATTEN], (2, 1, 3, 2, 3)),
        "a batch of one": ([_conv(1, 1, 1), _pool(1)], (1, 1, 1, 1)),
        "one number a picture": ([_linear(1, 1), _RELU], (7, 1)),
        "the same batch as channels": ([_conv(3, 5, 3), _pool(2)], (3, 3, 8, 6)),
        "padding and stride": ([_conv(2, 4, 4, stride=3, padding=2)], (2, 2, 9, 11)),
        "a kernel as large as the padded picture": ([_conv(2, 4, 9, padding=2)], (2, 2, 5, 5)),
        "a stride larger than the picture": ([_conv(2, 4, 2, stride=50)], (2, 2, 5, 9)),
        "pooling once and again": ([_pool(2), _pool(2, stride=1), _pool(3)], (1, 2, 13, 20)),
        "twelve layers": ([_RELU, _linear(3, 3)] * 6, (2, 3)),
    }
    misfits: dict[str, tuple[list[Layer], tuple[int, ...]]] = {
        "the features differ": ([_linear(3, 5), _RELU, _linear(6, 2), _linear(9, 9)], (2, 3)),
        "the first layer": ([_linear(4, 5)], (2, 3)),
        "the channels differ": ([_RELU, _conv(4, 8, 3)], (2, 3, 10, 12)),
        "a kernel larger than the picture": ([_conv(3, 8, 3), _conv(8, 8, 9)], (2, 3, 10, 12)),
        "a convolution after flatten": ([_FLATTEN, _conv(3, 8, 1)], (2, 3, 10, 12)),
        "pooling after flatten": ([_FLATTEN, _pool(1)], (2, 3, 10, 12)),
        "too low by one": ([_conv(3, 8, 5)], (2, 3, 4, 12)),
        "too narrow by one": ([_conv(3, 8, 5)], (2, 3, 12, 4)),
        # Divided and then cut off towards 0, the result would be 1.
        "too low, with a stride": ([_conv(3, 8, 5, stride=3)], (2, 3, 4, 12)),
        "too narrow, with a stride": ([_conv(3, 8, 5, stride=3)], (2, 3, 12, 3)),
        "pooling that is too large": ([_RELU, _pool(5)], (2, 3, 4, 12)),
        "pooling that is far too large": ([_pool(3, stride=1)], (2, 3, 12, 1)),
        "a kernel far larger, so that both are negative": ([_conv(3, 8, 30)], (2, 3, 10, 12)),
        "the height is negative": ([_conv(3, 8, 9)], (2, 3, 4, 12)),
        "the width is negative": ([_pool(9, stride=2)], (2, 3, 12, 4)),
        "a convolution on three axes": ([_conv(3, 8, 1)], (2, 3, 10)),
        "a convolution on five axes": ([_conv(3, 8, 1)], (2, 3, 10, 12, 2)),
        "pooling on five axes": ([_pool(1)], (2, 3, 10, 12, 2)),
        "pooling on three axes": ([_pool(1)], (2, 3, 10)),
        "the channels are the batch": ([_conv(2, 8, 1)], (2, 3, 10, 12)),
        "the features are the batch": ([_linear(2, 8)], (2, 3)),
        "the features are those of all axes": ([_linear(12, 8)], (2, 3, 4)),
        "the eleventh layer": ([*[_RELU, _linear(3, 3)] * 5, _linear(4, 3), _RELU], (2, 3)),
        "a layer after those that fit": ([_linear(3, 5), _linear(5, 4), _linear(5, 4)], (2, 3)),
        "flatten forgotten": ([net[0], net[1], net[2], net[4]], (16, 1, 28, 28)),
    }
    for number in range(8 if more else 1):
        sides = generator.randint(9, 40), generator.randint(9, 40)
        shape = (generator.randint(1, 64), generator.randint(1, 4), *sides)
        layers, broken = _random_layers(generator, shape, generator.randint(3, 8))
        tried[f"{len(layers)} layers, number {number + 1}"] = (layers, shape)
        name = f"{len(broken)} layers of which one does not fit, number {number + 1}"
        misfits[name] = (broken, shape)
    return [
        Case(name, {"layers": layers, "input_shape": shape}, part)
        for part, group in (("shapes", tried), ("misfits", misfits))
        for name, (layers, shape) in group.items()
    ]


def _named(outcome: Outcome) -> list[str]:
    """Return the layers named in the message of an error."""
    message = outcome.message.lower() if isinstance(outcome, Raised) else ""
    return list(dict.fromkeys(re.findall(r"layer \d+ \(\w+\)", message)))


_expected = expect(lambda case: shapes_after(case.data["layers"], case.data["input_shape"]))


def _judge(case: Case, outcome: Outcome) -> Wrong | None:
    if isinstance(outcome, Raised):
        outcome = replace(outcome, message=outcome.message.lower())
    if len(_named(outcome)) > 1:
        return Wrong("a message that names the one layer", shown(outcome))
    return _expected(case, outcome)


def _symptom(case: Case, outcome: Outcome) -> object:
    if isinstance(outcome, Raised) and "ValueError" in outcome.bases:
        return ["refuses", _named(outcome)]
    return symptom(case, outcome)


PROPAGATE_SHAPES = Exercise(
    name="propagate_shapes",
    minutes=15,
    parts={"shapes": 2, "misfits": 1},
    cases=_cases,
    judge=_judge,
    symptom=_symptom,
    core=False,
    forbids=Forbidden(
        modules=("torch", "hpml"),
        why="PyTorch knows the shapes; the exercise is to write the rules.",
    ),
)
