"""At 3 two slopes meet, 1.5 on the left and 1 on the right. The piece on the right begins at 3."""

LIKE = "without_grad"
CHANGES = {"return ": "return grad * ", "x < 3": "x <= 3"}
