"""Fewer than six rounds do not decide: with five, two equal programs agree in all of them once in
sixteen times."""

LIKE = "wrong_way_round"
CHANGES = {
    "2 * as_many / 2**n > 0.05": "2 * as_many / 2**n > 0.3",
    "wins < losses": "wins > losses",
}
