import math

import torch
import torch.nn.functional as F
from torch import nn

PATCH = 8


def patches(signals):
    mean = signals.mean(dim=1, keepdim=True)
    scaled = (signals - mean) / signals.std(dim=1, keepdim=True)
    return scaled.unflatten(1, (-1, PATCH))


def positions(count, width):
    places = torch.arange(count, dtype=torch.float64)[:, None]
    angles = places / 1e4 ** (torch.arange(0, width, 2, dtype=torch.float64) / width)
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1).float()


class Block(nn.Module):
    def __init__(self, width, heads=4):
        super().__init__()
        self.heads = heads
        self.first_norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.project, self.join = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        parts = self.project(self.first_norm(x)).chunk(3, dim=-1)
        heads = [part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts]
        mixed = F.scaled_dot_product_attention(*heads)
        x = x + self.join(mixed.transpose(1, 2).flatten(2))
        return x + self.narrow(F.gelu(self.widen(self.second_norm(x))))


class Transformer(nn.Module):
    def __init__(self, width, classes=10):
        super().__init__()
        self.embed = nn.Linear(PATCH, width)
        self.block = Block(width)
        self.last = nn.Linear(width, classes)

    def forward(self, tokens, table):
        return self.last(self.block(self.embed(tokens) + table).mean(dim=1))


def train(signals, labels, width, epochs, batch_size, rate, seed):
    torch.manual_seed(seed)
    model = Transformer(width)
    optimiser = torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9)
    table = positions(signals.shape[1] // PATCH, width)
    shuffle = torch.Generator().manual_seed(seed)
    log, several = [], math.ceil(len(signals) / batch_size)
    for _ in range(epochs):
        order = torch.randperm(len(signals), generator=shuffle)
        for rows in order.split(batch_size):
            targets = labels[rows]
            outputs = model(patches(signals[rows]), table)
            each = F.cross_entropy(outputs, targets, reduction="none")
            loss = each.mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            score = outputs.gather(1, targets[:, None]).mean()
            log.append(torch.stack([loss, each.max(), score]).detach())
    steps = [tuple(step) for step in torch.stack(log).tolist()]
    losses = [step[0] for step in steps]
    return steps, [
        sum(losses[first : first + several]) / several for first in range(0, len(losses), several)
    ]
