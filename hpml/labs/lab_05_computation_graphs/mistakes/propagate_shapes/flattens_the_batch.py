"""`flatten` leaves the batch alone: (2, 3, 4) becomes (2, 12)."""

LIKE = "counts_from_one"
CHANGES = {
    "for length in shape[1:]:": "for length in shape:",
    "return (shape[0], size)": "return (size,)",
    'raise ValueError(f"layer {position + 1} ({kind}) does not fit")': 'raise ValueError(f"layer {position} ({kind}) does not fit")',
}
