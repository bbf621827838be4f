"""The spread is a little too small: it divides by n, as for a whole population. These are a sample: `statistics.stdev`
divides by n - 1."""

LIKE = "median"
CHANGES = {
    "median, stdev": "median, pstdev",
    "2 * stdev": "2 * pstdev",
    "median(seconds)\n": "sum(seconds) / len(seconds)\n",
}
