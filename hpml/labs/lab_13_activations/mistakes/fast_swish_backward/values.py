"""It multiplies by the values of FastSwish. The backward pass needs its slope."""

LIKE = "without_grad"
CHANGES = {
    "return ": "return grad * ",
    "-2 / (3 * x * x)": "2 / (3 * x)",
    "(2 * x + 3) / 6": "x * (x + 3) / 6",
    "torch.ones_like(x)": "x",
}
