"""This activation is another function. `x * sigmoid(x)` is called SiLU, or swish; GELU resembles it."""

LIKE = "drops_last_batch"
CHANGES = {
    "batch_size=batch_size, drop_last=True": "batch_size=batch_size",
    "return x * (1 / (1 + torch.exp(-x)))": "return F.gelu(x)",
}
