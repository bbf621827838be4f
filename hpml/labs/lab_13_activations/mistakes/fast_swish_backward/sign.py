"""On the left FastSwish falls: the derivative of 1 / x is -1 / x², and yours has the sign +."""

LIKE = "without_grad"
CHANGES = {"return ": "return grad * ", "-2 / (3 * x * x)": "2 / (3 * x * x)"}
