"""It computes a shape, or stumbles, also where a layer does not fit. Check first what each kind
asks of the shape before it."""


def propagate_shapes(
    layers: list[tuple[str, dict]], input_shape: tuple[int, ...]
) -> list[tuple[int, ...]]:
    shapes, shape = [], input_shape
    for kind, parameters in layers:
        if kind == "flatten":
            size = 1
            for length in shape[1:]:
                size *= length
            shape = (shape[0], size)
        elif kind == "linear":
            shape = (*shape[:-1], parameters["out_features"])
        elif kind in ("conv2d", "max_pool2d"):
            kernel = parameters["kernel_size"]
            batch, channels, *sides = shape
            stride = parameters.get("stride", 1 if kind == "conv2d" else kernel)
            padding = parameters.get("padding", 0)
            sides = [(n + 2 * padding - kernel) // stride + 1 for n in sides]
            shape = (batch, parameters.get("out_channels", channels), *sides)
        shapes.append(shape)
    return shapes
