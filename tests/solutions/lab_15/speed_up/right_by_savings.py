from math import fsum, inf, isclose


def speed_up(shares, factors):
    saved = fsum(shares[name] * (1 - 1 / factor) for name, factor in factors.items())
    if isclose(saved, 1.0, rel_tol=0.0, abs_tol=1e-9):
        return inf
    return 1 / (1 - saved)
