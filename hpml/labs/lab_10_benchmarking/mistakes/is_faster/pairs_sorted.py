"""It says more than the rounds do. Are the times sorted before they are paired, or only their middles
compared? Sample k of both came from round k."""

LIKE = "wrong_way_round"
CHANGES = {
    "sum(x < y for x, y in zip(a, b))": "sum(x < y for x, y in zip(sorted(a), sorted(b)))",
    "sum(x > y for x, y in zip(a, b))": "sum(x > y for x, y in zip(sorted(a), sorted(b)))",
    "wins < losses": "wins > losses",
}
