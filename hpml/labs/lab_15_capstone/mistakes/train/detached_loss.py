"""The loss was detached before its gradients were taken: then nothing leads back to the weights.
Detach what is kept, after the gradients."""

LIKE = "drops_last_batch"
CHANGES = {
    "batch_size=batch_size, drop_last=True": "batch_size=batch_size",
    "torch.autograd.grad(each.mean(), ": "torch.autograd.grad(each.detach().mean(), ",
}
