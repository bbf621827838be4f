"""The mean of an epoch is that of its steps. Here a signal of the smaller last batch counts no more
than others."""

LIKE = "drops_last_batch"
CHANGES = {
    "batch_size=batch_size, drop_last=True": "batch_size=batch_size",
    "running.append(each.mean())": "running.append(each.sum())",
    "(sum(running) / len(running)).item()": "(sum(running) / len(signals)).item()",
}
