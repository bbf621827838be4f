"""Each signal is standardised by its own mean and deviation. Without an axis, `mean` and `std` take
the whole batch."""

LIKE = "drops_last_batch"
CHANGES = {
    "batch_size=batch_size, drop_last=True": "batch_size=batch_size",
    "    rows = []\n    for row in batch:\n        rows.append((row - row.mean()) / row.std())\n    return torch.stack(rows)": "    return (batch - batch.mean()) / batch.std()",
}
