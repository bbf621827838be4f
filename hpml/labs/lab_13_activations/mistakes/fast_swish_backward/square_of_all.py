"""It squares the 3 with the x. The derivative of 2 / (3 x) is -2 / (3 x²)."""

LIKE = "without_grad"
CHANGES = {"return ": "return grad * ", "-2 / (3 * x * x)": "-2 / (3 * x) ** 2"}
