"""Each epoch has an order of its own. Here that of the first is kept, and the later ones repeat its
batches."""

LIKE = "drops_last_batch"
CHANGES = {
    "batch_size=batch_size, drop_last=True": "batch_size=batch_size",
    "    for _ in range(epochs):\n        order = torch.randperm(len(signals), generator=shuffle)\n": "    order = torch.randperm(len(signals), generator=shuffle)\n    for _ in range(epochs):\n",
}
