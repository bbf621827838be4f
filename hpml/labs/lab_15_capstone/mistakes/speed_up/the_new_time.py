"""That is the new time, as a part of the old. How many times as fast is it?"""


def speed_up(shares, factors):
    saved = sum(share - share / factors.get(name, 1) for name, share in shares.items())
    return 1 - saved
