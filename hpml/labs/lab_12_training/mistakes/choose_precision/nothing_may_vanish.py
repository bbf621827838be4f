"""It refuses a format in which a small value becomes zero. What is at most `error` times the largest may vanish, a zero
first of all: beside the largest nobody sees it."""

LIKE = "range_only"
CHANGES = {
    "rounding = 0": "rounding = spacing / 2 * (len(values) if added else 1)",
    "size >= smallest or size <= error * max(sizes)": "size >= smallest",
}
