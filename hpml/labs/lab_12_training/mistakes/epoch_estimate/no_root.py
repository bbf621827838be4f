"""The interval is that of a single step. A mean of n steps is known better than one step: its standard error is the
standard deviation divided by the root of n."""

LIKE = "median"
CHANGES = {"median(seconds)\n": "sum(seconds) / len(seconds)\n", " / len(seconds) ** 0.5": ""}
