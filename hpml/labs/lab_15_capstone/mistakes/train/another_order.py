"""The order is another one. It comes from a generator of its own, with the seed: one `randperm`
for each epoch."""

LIKE = "drops_last_batch"
CHANGES = {
    "batch_size=batch_size, drop_last=True": "batch_size=batch_size",
    "order = torch.randperm(len(signals), generator=shuffle)": "order = torch.randperm(len(signals))",
}
