"""It asks for the same share of wins, however many the rounds. Five of six come by chance once in five
times; 80 of 120 hardly ever."""

LIKE = "wrong_way_round"
CHANGES = {
    "2 * as_many / 2**n > 0.05": "len(a) < 6 or max(wins, losses) < 0.72 * len(a)",
    "wins < losses": "wins > losses",
}
