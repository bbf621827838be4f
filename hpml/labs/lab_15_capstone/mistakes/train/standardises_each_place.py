"""The axis is the other one: each place of a signal is compared with the same place of the other
signals. A signal's own mean goes along axis 1."""

LIKE = "drops_last_batch"
CHANGES = {
    "batch_size=batch_size, drop_last=True": "batch_size=batch_size",
    "    rows = []\n    for row in batch:\n        rows.append((row - row.mean()) / row.std())\n    return torch.stack(rows)": "    return (batch - batch.mean(0)) / (batch.std(0) + 1e-12)",
}
