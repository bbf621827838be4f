"""It drops every slow step, wherever it stands. What is slow in the middle comes again in every epoch; only the steps at
the beginning are warm-up."""

LIKE = "median"
CHANGES = {
    "while seconds[0] > limit:\n        seconds = seconds[1:]": "seconds = [s for s in seconds if s <= limit]",
    "median(seconds)\n": "sum(seconds) / len(seconds)\n",
}
