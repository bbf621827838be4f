"""The right layer, counted from 1. The first one is `layer 0`."""


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
    for position, (kind, parameters) in enumerate(layers):
        shape = after(kind, parameters, shape)
        if shape is None:
            raise ValueError(f"layer {position + 1} ({kind}) does not fit")
        shapes.append(shape)
    return shapes
