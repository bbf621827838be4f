"""The numbers arrive in the array, but some line computes a whole array on the way. `x - x.mean()`
is one, also on the right of `x[:] =`; so is `x ** 2`, and `x.std()` makes one inside."""


def normalise_in_place(x):
    spread = x.std()
    x[:] = (x - x.mean()) / (spread if spread > 0 else 1)
    return x
