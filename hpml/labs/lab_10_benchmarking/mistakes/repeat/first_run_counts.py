"""The run in which the number was found is taken for the first sample. It may be the first of all,
with everything that has to warm up. Take five new ones."""

LIKE = "always_on"
CHANGES = {"samples = []": "samples = [seconds / number]", "range(5)": "range(4)"}
