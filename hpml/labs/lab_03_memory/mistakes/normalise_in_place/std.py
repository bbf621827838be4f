"""The numbers arrive in the array, but some line computes a whole array on the way. `x - x.mean()`
is one, also on the right of `x[:] =`; so is `x ** 2`, and `x.std()` makes one inside."""

LIKE = "variance"
CHANGES = {"np.dot(x, x) / len(x)": "x.std()"}
