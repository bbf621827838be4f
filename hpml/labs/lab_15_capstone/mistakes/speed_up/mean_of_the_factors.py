"""That is the mean of the factors. Times add up, factors do not: a part that is free is not
infinitely much of the whole."""


def speed_up(shares, factors):
    rest = 1 - sum(shares.values())
    return rest + sum(share * factors.get(name, 1) for name, share in shares.items())
