"""The output lies inside of a run. A loop keeps one name only, so what is returned has to be the
result of its last call."""

LIKE = "inclusive_end"
CHANGES = {
    "1 and before != output": "1",
    "end - 1)": "end)",
}
