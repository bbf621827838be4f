"""Wrong answers to `train`: the right training with one thing changed; the diagnoses are docstrings."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def _each_row(batch):
    return torch.stack([(row - row.mean()) / row.std() for row in batch])


def _swish(x):
    return x * (1 / (1 + torch.exp(-x)))


def _cosines(length, dtype):
    times = torch.linspace(0, 1, 2 * length + 1, dtype=torch.float64)[1::2]
    angles = math.pi * times.reshape(-1, 1) * torch.arange(length).reshape(1, -1)
    return ((2 / length) ** 0.5 * angles.cos()).to(dtype)


def _train(
    signals, labels, width, epochs, batch_size, rate, seed, *, dtype=torch.float64,
    standardise=_each_row, activation=_swish, momentum=0.9, drop_last=False, one_order=False,
    own_generator=True, detach=False, ask_again=False, mean_of_steps=True,
):  # fmt: skip
    torch.manual_seed(seed)
    sizes = [signals.shape[1], width, width, 10]
    first, second, last = (
        nn.Linear(n, m).to(dtype) for n, m in zip(sizes, sizes[1:], strict=False)
    )

    def model(batch):
        spectrum = standardise(batch) @ _cosines(batch.shape[-1], dtype)
        return last(activation(second(activation(first(spectrum)))))

    signals = signals.to(dtype)
    parameters = [weight for layer in (first, second, last) for weight in layer.parameters()]
    velocities = [torch.zeros_like(weight) for weight in parameters]
    shuffle = torch.Generator().manual_seed(seed) if own_generator else None
    order, log, epoch_losses = None, [], []
    for _ in range(epochs):
        if order is None or not one_order:
            order = torch.randperm(len(signals), generator=shuffle)
        running = []
        for chosen in order.split(batch_size):
            if drop_last and len(chosen) < batch_size:
                continue
            targets, outputs = labels[chosen], model(signals[chosen])
            losses = F.cross_entropy(outputs, targets, reduction="none")
            loss = losses.detach().mean() if detach else losses.mean()
            gradients = torch.autograd.grad(loss, parameters, create_graph=True)
            with torch.no_grad():
                for weight, speed, gradient in zip(parameters, velocities, gradients, strict=True):
                    speed.mul_(momentum).add_(gradient)
                    weight.sub_(rate * speed)
            running.append(losses.mean() if mean_of_steps else losses.sum())
            if ask_again:
                outputs = model(signals[chosen])
                losses = F.cross_entropy(outputs, targets, reduction="none")
            scores = outputs.float() if dtype is torch.bfloat16 else outputs
            losses = losses.to(scores.dtype)
            total = worst = score = 0.0
            for k in range(len(targets)):
                total += losses[k].item()
                worst = max(worst, losses[k].item())
                score += scores[k, targets[k]].item()
            log.append((total / len(targets), worst, score / len(targets)))
        count = len(running) if mean_of_steps else len(signals)
        epoch_losses.append((sum(running) / count).item())
    return log, epoch_losses


def another_activation(**data):
    """This activation is another function. `x * sigmoid(x)` is SiLU, also called swish; GELU is similar."""
    return _train(**data, activation=F.gelu)


def another_order(**data):
    """The order differs. It comes from a generator of its own, made with the seed: one `randperm` per
    epoch."""
    return _train(**data, own_generator=False)


def detached_loss(**data):
    """The loss is detached before its gradients are computed, so nothing leads back to the weights.
    Compute the gradients first, then detach what you keep."""
    return _train(**data, detach=True)


def drops_last_batch(**data):
    """The last batch of an epoch is smaller, and it is left out here. It is part of the training."""
    return _train(**data, drop_last=True)


def half_precision(**data):
    """With so few digits the losses change. float32 is enough for this network; bfloat16 is not."""
    return _train(**data, dtype=torch.bfloat16)


def mean_over_signals(**data):
    """The loss of an epoch is the mean over its steps. Here it is the mean over the signals, so the
    smaller last batch counts less."""
    return _train(**data, mean_of_steps=False)


def momentum_forgotten(**data):
    """The velocity keeps nine tenths of its old value. Here each step follows its own gradient only."""
    return _train(**data, momentum=0)


def one_mean_for_the_batch(**data):
    """Each signal is standardised by its own mean and deviation. Without an axis, `mean` and `std` use
    the whole batch."""
    return _train(**data, standardise=lambda batch: (batch - batch.mean()) / batch.std())


def one_order_for_all(**data):
    """Each epoch has its own order. Here the first order is used again in all later epochs."""
    return _train(**data, one_order=True)


def population_deviation(**data):
    """The deviation is divided by n, as NumPy does. `std` of PyTorch divides by n - 1, and so does the
    script."""

    def standardise(batch):
        return (batch - batch.mean(1, keepdim=True)) / batch.std(1, keepdim=True, correction=0)

    return _train(**data, standardise=standardise)


def reported_after_the_update(**data):
    """A step reports the loss that its gradients came from. Here the network is evaluated again after
    the update."""
    return _train(**data, ask_again=True)


def standardises_each_place(**data):
    """The axis is wrong: each position is compared with the same position of the other signals. The
    mean of a signal is taken along axis 1."""
    return _train(
        **data, standardise=lambda batch: (batch - batch.mean(0)) / (batch.std(0) + 1e-12)
    )
