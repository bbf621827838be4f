"""The last batch of an epoch is smaller, and here it is left out. Its step belongs to the training."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset


def batches(signals, labels, order, batch_size):
    """Go through the bird calls in the given order."""
    chosen = Subset(TensorDataset(signals, labels), order.tolist())
    yield from DataLoader(chosen, batch_size=batch_size, drop_last=True)


def standardise(batch):
    """Bring each signal to mean 0 and deviation 1."""
    rows = []
    for row in batch:
        rows.append((row - row.mean()) / row.std())
    return torch.stack(rows)


def cosines(length, dtype=torch.float64):
    """The table of the cosine transform."""
    times = torch.linspace(0, 1, 2 * length + 1, dtype=torch.float64)[1::2]
    angles = math.pi * times.reshape(-1, 1) * torch.arange(length).reshape(1, -1)
    return ((2 / length) ** 0.5 * angles.cos()).to(dtype)


def swish(x):
    return x * (1 / (1 + torch.exp(-x)))


class Network(nn.Module):
    def __init__(self, length, width, classes=10):
        super().__init__()
        self.first = nn.Linear(length, width)
        self.second = nn.Linear(width, width)
        self.last = nn.Linear(width, classes)
        self.transform = lambda signals: cosines(signals.shape[-1], signals.dtype)

    def forward(self, signals):
        spectrum = signals @ self.transform(signals)
        hidden = swish(self.first(spectrum))
        hidden = swish(self.second(hidden))
        return self.last(hidden)


def train(signals, labels, width, epochs, batch_size, rate, seed):
    """Return what each step reports (loss, worst loss, score), and each epoch's mean loss."""
    torch.manual_seed(seed)
    model = Network(signals.shape[1], width)
    signals = signals.double()
    model.double()
    parameters = list(model.parameters())
    velocities = [torch.zeros_like(weight) for weight in parameters]
    shuffle = torch.Generator().manual_seed(seed)
    log, epoch_losses = [], []
    for _ in range(epochs):
        order = torch.randperm(len(signals), generator=shuffle)
        running = []
        for inputs, targets in batches(signals, labels, order, batch_size):
            outputs = model(standardise(inputs))
            each = F.cross_entropy(outputs, targets, reduction="none")
            gradients = torch.autograd.grad(each.mean(), parameters, create_graph=True)
            with torch.no_grad():
                for weight, speed, gradient in zip(parameters, velocities, gradients, strict=True):
                    speed.mul_(0.9).add_(gradient)
                    weight.sub_(rate * speed)
            running.append(each.mean())
            total = score = 0.0
            worst = 0.0
            for k in range(len(targets)):
                total += each[k].item()
                worst = max(worst, each[k].item())
                score += outputs[k, targets[k]].item()
            log.append((total / len(targets), worst, score / len(targets)))
        epoch_losses.append((sum(running) / len(running)).item())
    return log, epoch_losses
