"""That is the deviation with n in the denominator, as NumPy has it. `std` of PyTorch divides by
n - 1, and so does the script."""

LIKE = "drops_last_batch"
CHANGES = {
    "batch_size=batch_size, drop_last=True": "batch_size=batch_size",
    "row.std()": "row.std(correction=0)",
}
