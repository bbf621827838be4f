"""The padding is counted once. It is added on both sides."""

LIKE = "counts_from_one"
CHANGES = {
    '2 * parameters.get("padding",': 'parameters.get("padding",',
    "{position + 1}": "{position}",
}
