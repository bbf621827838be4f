"""`flatten` leaves the batch alone: (2, 3, 4) becomes (2, 12)."""

LIKE = "counts_from_one"
CHANGES = {
    "for length in shape[1:]:": "for length in shape:",
    "return (shape[0], size)": "return (size,)",
    "{position + 1}": "{position}",
}
