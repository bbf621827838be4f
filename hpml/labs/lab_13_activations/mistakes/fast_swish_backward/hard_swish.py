"""That is HardSwish's: 0 on the left. FastSwish falls there as 2 / (3 x) does, and its slope is
-2 / (3 x²)."""

LIKE = "without_grad"
CHANGES = {
    "return ": "return grad * ",
    "left = -2 / (3 * x * x)": "left = torch.zeros_like(x)",
    "x < -2": "x < -3",
}
