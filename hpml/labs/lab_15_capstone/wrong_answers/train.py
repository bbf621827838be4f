"""Wrong answers to `train`: the right training with one thing changed; the diagnoses are docstrings."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def _each_row(batch):
    return torch.stack([(row - row.mean()) / row.std() for row in batch])


def _cosines(length):
    times = torch.linspace(0, 1, 2 * length + 1, dtype=torch.float64)[1::2]
    angles = math.pi * times.reshape(-1, 1) * torch.arange(length).reshape(1, -1)
    return (2 / length) ** 0.5 * angles.cos()


def _train(
    signals, labels, width, epochs, batch_size, rate, seed, *, standardise=_each_row,
    drop_last=False, own_generator=True,
):  # fmt: skip
    torch.manual_seed(seed)
    sizes = [signals.shape[1], width, width, 10]
    first, second, last = (nn.Linear(n, m).double() for n, m in zip(sizes, sizes[1:], strict=False))

    def model(batch):
        spectrum = standardise(batch) @ _cosines(batch.shape[-1])
        return last(F.silu(second(F.silu(first(spectrum)))))

    signals = signals.double()
    parameters = [weight for layer in (first, second, last) for weight in layer.parameters()]
    velocities = [torch.zeros_like(weight) for weight in parameters]
    shuffle = torch.Generator().manual_seed(seed) if own_generator else None
    log, epoch_losses = [], []
    for _ in range(epochs):
        order, running = torch.randperm(len(signals), generator=shuffle), []
        for chosen in order.split(batch_size):
            if drop_last and len(chosen) < batch_size:
                continue
            targets, outputs = labels[chosen], model(signals[chosen])
            losses = F.cross_entropy(outputs, targets, reduction="none")
            gradients = torch.autograd.grad(losses.mean(), parameters, retain_graph=True)
            with torch.no_grad():
                for weight, speed, gradient in zip(parameters, velocities, gradients, strict=True):
                    speed.mul_(0.9).add_(gradient)
                    weight.sub_(rate * speed)
            running.append(losses.mean())
            scores = outputs[range(len(targets)), targets]
            reported = losses.mean(), losses.max(), scores.mean()
            log.append(tuple(each.item() for each in reported))
        epoch_losses.append((sum(running) / len(running)).item())
    return log, epoch_losses


def another_order(**data):
    """The order of the signals differs. The script draws it from a separate generator, made with
    the seed: one `randperm` per epoch."""
    return _train(**data, own_generator=False)


def drops_last_batch(**data):
    """The last batch of an epoch is smaller. Your version drops it, but it is part of training."""
    return _train(**data, drop_last=True)


def one_mean_for_the_batch(**data):
    """Each signal is standardised by its own mean and standard deviation. Without an axis, `mean`
    and `std` use the whole batch."""
    return _train(**data, standardise=lambda batch: (batch - batch.mean()) / batch.std())


def population_deviation(**data):
    """Your standard deviation divides by n, like NumPy's. PyTorch's `std` divides by n - 1, and so
    does the script."""

    def standardise(batch):
        return (batch - batch.mean(1, keepdim=True)) / batch.std(1, keepdim=True, correction=0)

    return _train(**data, standardise=standardise)
