"""It adds the gradients up. Those of a fall and of a rise cancel each other, and both are alive."""

LIKE = "somewhere"
CHANGES = {"(x.grad == 0).any()": "x.grad.sum().abs() < 1e-3"}
