"""It takes a small difference for none, in whatever unit the times are. In seconds a microsecond is
1e-6, and it may be all there is: look at quotients, or at who wins."""

LIKE = "wrong_way_round"
CHANGES = {
    "n = wins + losses": 'n = wins + losses\n    if abs(sum(a) - sum(b)) < 1:\n        return "cannot tell"',
    "wins < losses": "wins > losses",
}
