"""Where `max_pool2d` has no stride, its stride is its kernel size: the windows stand side by
side."""

LIKE = "counts_from_one"
CHANGES = {
    'parameters.get("stride", parameters["kernel_size"])': 'parameters.get("stride", 1)',
    "{position + 1}": "{position}",
}
