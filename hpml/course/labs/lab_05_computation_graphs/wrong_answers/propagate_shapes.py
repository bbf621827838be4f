"""Wrong answers to `propagate_shapes`: each docstring is the diagnosis."""

import math


def _propagate(
    layers,
    shape,
    *,
    check=True,
    from_one=0,
    message="layer {} ({}) does not fit",
    sides_padded=2,
    pool_stride=None,
):
    shapes = []
    for position, (kind, parameters) in enumerate(layers, from_one):
        fits = True
        if kind == "flatten":
            shape = (shape[0], math.prod(shape[1:]))
        elif kind == "linear":
            fits = shape[-1] == parameters["in_features"]
            shape = (*shape[:-1], parameters["out_features"])
        elif kind != "relu" and check and len(shape) != 4:
            fits = False
        elif kind != "relu":
            batch, channels, *sides = shape
            kernel, padding = parameters["kernel_size"], parameters.get("padding", 0)
            stride = parameters.get("stride", 1 if kind == "conv2d" else pool_stride or kernel)
            sides = [(n + sides_padded * padding - kernel) // stride + 1 for n in sides]
            fits = channels == parameters.get("in_channels", channels) and min(sides) >= 1
            shape = (batch, parameters.get("out_channels", channels), *sides)
        if check and not fits:
            raise ValueError(message.format(position, kind))
        shapes.append(shape)
    return shapes


def checks_nothing(layers, input_shape):
    """It computes a shape, or fails by accident, where a layer does not fit. Check first what each kind
    requires of the shape before it."""
    return _propagate(layers, input_shape, check=False)


def counts_from_one(layers, input_shape):
    """The right layer, counted from 1. The first one is `layer 0`."""
    return _propagate(layers, input_shape, from_one=1)


def nameless_error(layers, input_shape):
    """Where a layer does not fit, the ValueError does not name it. It may come by accident, as from
    `min()` of an empty list. Check each layer first, and name it as `layer 2 (linear)`."""
    return _propagate(layers, input_shape, message="it does not fit")


def pads_one_side(layers, input_shape):
    """The padding is counted once. It is added on both sides."""
    return _propagate(layers, input_shape, sides_padded=1)


def pools_with_stride_one(layers, input_shape):
    """Where `max_pool2d` has no stride, its stride is its kernel size: the windows do not overlap."""
    return _propagate(layers, input_shape, pool_stride=1)
