import math

import torch
import torch.nn.functional as F
from torch import nn


def batches(signals, labels, order, batch_size):
    for rows in order.split(batch_size):
        yield signals[rows], labels[rows]


def standardise(batch):
    mean = batch.mean(dim=1, keepdim=True)
    return (batch - mean) / batch.std(dim=1, keepdim=True)


def cosines(length, dtype=torch.float64):
    times = torch.linspace(0, 1, 2 * length + 1, dtype=torch.float64)[1::2]
    angles = math.pi * times.reshape(-1, 1) * torch.arange(length).reshape(1, -1)
    return ((2 / length) ** 0.5 * angles.cos()).to(dtype)


def swish(x):
    return F.silu(x)


class Network(nn.Module):
    def __init__(self, length, width, classes=10):
        super().__init__()
        self.first = nn.Linear(length, width)
        self.second = nn.Linear(width, width)
        self.last = nn.Linear(width, classes)
        self.register_buffer("table", cosines(length, self.first.weight.dtype))

    def forward(self, signals):
        spectrum = signals @ self.table
        hidden = swish(self.first(spectrum))
        hidden = swish(self.second(hidden))
        return self.last(hidden)


def train(signals, labels, width, epochs, batch_size, rate, seed):
    torch.manual_seed(seed)
    model = Network(signals.shape[1], width)
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
            loss = each.mean()
            gradients = torch.autograd.grad(loss, parameters)
            with torch.no_grad():
                for weight, speed, gradient in zip(parameters, velocities, gradients, strict=True):
                    speed.mul_(0.9).add_(gradient)
                    weight.sub_(rate * speed)
            running += [loss.detach()]
            score = outputs.gather(1, targets[:, None]).mean()
            log.append(torch.stack([each.mean(), each.max(), score]).detach())
        epoch_losses.append((sum(running) / len(running)).item())
    return [tuple(step) for step in torch.stack(log).tolist()], epoch_losses
