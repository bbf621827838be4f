"""Where everything is free, no time is left to divide by. Then the answer is `math.inf`."""


def speed_up(shares, factors):
    saved = sum(share - share / factors.get(name, 1) for name, share in shares.items())
    return 1 / (1 - saved)
