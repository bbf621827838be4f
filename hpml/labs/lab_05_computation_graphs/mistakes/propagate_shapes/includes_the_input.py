"""The list begins with the shape of the input. It should hold one shape a layer, the one after
it."""

LIKE = "counts_from_one"
CHANGES = {
    "shapes, shape = [], input_shape": "shapes, shape = [input_shape], input_shape",
    'raise ValueError(f"layer {position + 1} ({kind}) does not fit")': 'raise ValueError(f"layer {position} ({kind}) does not fit")',
}
