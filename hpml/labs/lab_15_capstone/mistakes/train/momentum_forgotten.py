"""The velocity keeps nine tenths of what it was. Here each step follows its own gradient alone."""

LIKE = "drops_last_batch"
CHANGES = {
    "batch_size=batch_size, drop_last=True": "batch_size=batch_size",
    "speed.mul_(0.9).add_(gradient)": "speed.copy_(gradient)",
}
