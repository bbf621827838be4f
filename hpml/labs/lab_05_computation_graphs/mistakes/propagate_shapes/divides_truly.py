"""`/` gives floats, and half a pixel where the stride does not divide. A kernel stands at a whole
number of places: `//`."""

LIKE = "counts_from_one"
CHANGES = {
    'return (length + 2 * parameters.get("padding", 0) - parameters["kernel_size"]) // stride + 1': 'return (length + 2 * parameters.get("padding", 0) - parameters["kernel_size"]) / stride + 1',
    'raise ValueError(f"layer {position + 1} ({kind}) does not fit")': 'raise ValueError(f"layer {position} ({kind}) does not fit")',
}
