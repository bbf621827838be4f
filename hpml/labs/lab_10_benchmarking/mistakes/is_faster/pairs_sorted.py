"""It sorts the times before it pairs them. Sample k of both came from round k; sorted, they meet others."""

LIKE = "wrong_way_round"
CHANGES = {
    "sum(x < y for x, y in zip(a, b))": "sum(x < y for x, y in zip(sorted(a), sorted(b)))",
    "sum(x > y for x, y in zip(a, b))": "sum(x > y for x, y in zip(sorted(a), sorted(b)))",
    "wins < losses": "wins > losses",
}
