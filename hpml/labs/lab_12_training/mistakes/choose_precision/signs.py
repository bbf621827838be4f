"""It looks at the largest value, and a negative one is never the largest. What a format must reach is the largest
magnitude."""

LIKE = "range_only"
CHANGES = {
    "sizes = [abs(value) for value in values]": "sizes = list(values)",
    "rounding = 0": "rounding = spacing / 2 * (len(values) if added else 1)",
    "size >= smallest or size <= error * max(sizes)": "abs(size) >= smallest or abs(size) <= error * max(map(abs, sizes))",
    "sum(sizes) if added": "sum(map(abs, sizes)) if added",
}
