"""It counts who wins more rounds. Of 25 tosses 14 heads say nothing; how many do?"""


def is_faster(a, b):
    wins = sum(x < y for x, y in zip(a, b))
    losses = sum(x > y for x, y in zip(a, b))
    if wins == losses:
        return "cannot tell"
    return "faster" if wins > losses else "slower"
