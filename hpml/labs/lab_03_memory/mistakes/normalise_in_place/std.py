"""The numbers arrive in the array, but some line computes a whole array on the way. `x - x.mean()`
is one, also on the right of `x[:] =`; so is `x ** 2`, and `x.std()` makes one inside."""


def normalise_in_place(x):
    x -= x.mean()
    spread = x.std()
    if spread > 0:
        x /= spread
    return x
