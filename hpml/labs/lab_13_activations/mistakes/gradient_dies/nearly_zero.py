"""It takes a small gradient for none. One of 1e-7 is small, and it still says which way to go."""

LIKE = "somewhere"
CHANGES = {"(x.grad == 0).any()": "(x.grad.abs() < 1e-6).all()"}
