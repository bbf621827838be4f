"""Where `max_pool2d` has no stride, its stride is its kernel size: the windows stand side by
side."""

LIKE = "counts_from_one"
CHANGES = {
    'stride = parameters.get("stride", parameters["kernel_size"])': 'stride = parameters.get("stride", 1)',
    'raise ValueError(f"layer {position + 1} ({kind}) does not fit")': 'raise ValueError(f"layer {position} ({kind}) does not fit")',
}
