"""Where a layer does not fit, its ValueError does not say which; it may come by accident, as from
`min()` of nothing. Check each layer first, and name it as `layer 2 (linear)`."""


def side(length: int, parameters: dict, stride: int) -> int:
    return (length + 2 * parameters.get("padding", 0) - parameters["kernel_size"]) // stride + 1


def after(kind: str, parameters: dict, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    if kind == "relu":
        return shape
    if kind == "flatten":
        size = 1
        for length in shape[1:]:
            size *= length
        return (shape[0], size)
    if kind == "linear":
        if shape[-1] != parameters["in_features"]:
            return None
        return (*shape[:-1], parameters["out_features"])
    if len(shape) != 4:
        return None
    batch, channels, height, width = shape
    if kind == "conv2d":
        if channels != parameters["in_channels"]:
            return None
        channels, stride = parameters["out_channels"], parameters.get("stride", 1)
    else:
        stride = parameters.get("stride", parameters["kernel_size"])
    height, width = side(height, parameters, stride), side(width, parameters, stride)
    return (batch, channels, height, width) if height >= 1 and width >= 1 else None


def propagate_shapes(
    layers: list[tuple[str, dict]], input_shape: tuple[int, ...]
) -> list[tuple[int, ...]]:
    shapes, shape = [], input_shape
    for kind, parameters in layers:
        shape = after(kind, parameters, shape)
        if shape is None:
            raise ValueError(f"{kind} does not fit")
        shapes.append(shape)
    return shapes
