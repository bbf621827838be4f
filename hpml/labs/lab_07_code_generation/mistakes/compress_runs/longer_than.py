"""A run of exactly `min_length` calls counts too: at least, not more than."""

LIKE = "inclusive_end"
CHANGES = {
    "end - 1) for first, end in runs if end - first >=": (
        "end) for first, end in runs if end - first >"
    ),
}
