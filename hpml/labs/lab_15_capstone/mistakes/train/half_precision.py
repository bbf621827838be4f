"""So few digits change the losses. float32 is enough for this network; bfloat16 is not."""

LIKE = "drops_last_batch"
CHANGES = {
    "batch_size=batch_size, drop_last=True": "batch_size=batch_size",
    "signals = signals.double()\n    model.double()": "signals = signals.bfloat16()\n    model.bfloat16()",
    "total = score = 0.0": "each, outputs = each.float(), outputs.float()\n            total = score = 0.0",
}
