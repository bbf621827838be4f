"""A run of exactly 0.2 seconds is long enough: at least 0.2, so `>=`."""

LIKE = "for_each_call"
CHANGES = {
    "seconds >= 0.2": "seconds > 0.2",
    "return number, seconds / number": "return number, seconds",
}
