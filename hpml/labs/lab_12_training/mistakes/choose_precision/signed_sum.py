"""It adds values whose signs cancel, and sees the end of the sum only. On the way it may have been too large: add up
magnitudes."""

LIKE = "range_only"
CHANGES = {
    "rounding = 0": "rounding = spacing / 2 * (len(values) if added else 1)",
    "sum(sizes) if added": "max(sizes + [abs(sum(values))]) if added",
}
