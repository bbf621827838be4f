"""A step reports the loss that its gradients came from. Here the network is asked again, after the
update."""

LIKE = "drops_last_batch"
CHANGES = {
    "batch_size=batch_size, drop_last=True": "batch_size=batch_size",
    "            total = score = 0.0": '            outputs = model(standardise(inputs))\n            again = F.cross_entropy(outputs, targets, reduction="none")\n            each = again.detach()\n            total = score = 0.0',
}
