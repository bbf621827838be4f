import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader


def collate(pairs):
    inputs = torch.stack([torch.as_tensor(signal) for signal, _ in pairs])
    return inputs, torch.tensor([int(label) for _, label in pairs])


def batches(signals, labels, order, batch_size):
    """Go through the engine sounds in the given order."""
    pairs = [(signals[k], labels[k]) for k in order]
    yield from DataLoader(pairs, batch_size=batch_size, collate_fn=collate)


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
    return 0.5 * x * (1 + torch.tanh(0.5 * x))


class Model(nn.Module):
    def __init__(self, length, width, classes=10):
        super().__init__()
        self.first = nn.Linear(length, width)
        self.second = nn.Linear(width, width)
        self.last = nn.Linear(width, classes)

    def forward(self, signals):
        spectrum = standardise(signals) @ cosines(signals.shape[1], signals.dtype)
        hidden = swish(self.first(spectrum))
        hidden = swish(self.second(hidden))
        return self.last(hidden)


def train(signals, labels, width, epochs, batch_size, rate, seed):
    """Return what each step reports (loss, worst loss, score), and each epoch's mean loss."""
    torch.manual_seed(seed)
    model = Model(signals.shape[1], width)
    signals = signals.to(torch.float64)
    model = model.to(signals.dtype)
    params = list(model.parameters())
    buffers = [torch.zeros_like(weight) for weight in params]
    shuffle = torch.Generator().manual_seed(seed)
    history, epoch_losses = [], []
    for _ in range(epochs):
        order = torch.randperm(len(signals), generator=shuffle)
        epoch = []
        for inputs, targets in batches(signals, labels, order, batch_size):
            outputs = model(inputs)
            each = F.cross_entropy(outputs, targets, reduction="none")
            loss = each.mean()
            gradients = torch.autograd.grad(loss, params, retain_graph=True, create_graph=True)
            with torch.no_grad():
                for weight, speed, gradient in zip(params, buffers, gradients, strict=True):
                    speed.mul_(0.9).add_(gradient)
                    weight.sub_(rate * speed)
            epoch += [loss]
            total = score = 0.0
            worst = 0.0
            for k in range(len(targets)):
                total += each[k].item()
                worst = max(worst, each[k].item())
                score += outputs[k, targets[k]].item()
            history.append((total / len(targets), worst, score / len(targets)))
        epoch_losses.append((sum(epoch) / len(epoch)).item())
    return history, epoch_losses
