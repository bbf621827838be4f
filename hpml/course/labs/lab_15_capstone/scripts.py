"""Generate a slow training script from a seed, with seven faults that vary by student.

There are two kinds, a small network and a transformer; grading sends this file to the worker that
runs the original, so both are here.
"""

from __future__ import annotations

import random
import re
import textwrap
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from string import Template
from typing import Any

KINDS = ("network", "transformer")
"""The scripts to choose from."""

HELPERS: Mapping[str, tuple[str, ...]] = {
    "network": ("batches", "standardise", "cosines", "swish"),
    "transformer": ("batches", "patches", "positions", "gelu", "attention"),
}
"""The functions of each script that a profile lists."""

TABLES = {"network": "cosines", "transformer": "positions"}
"""The function of each script that makes its table."""

FAULTS = ("loop", "reading", "table", "dtype", "activation", "loader", "graph")
"""A loop over a batch, numbers read one by one, a table computed again, float64, an unfused
activation (in the transformer also attention), samples collected one by one, graphs kept alive."""

Fragments = Mapping[str, str]


def _variants(placeholder: str, *texts: str) -> tuple[Fragments, ...]:
    return tuple({placeholder: text} for text in texts)


_NETWORK: Mapping[str, tuple[Fragments, ...]] = {
    "loop": _variants(
        "standardise",
        """
        rows = []
        for row in batch:
            rows.append((row - row.mean()) / row.std())
        return torch.stack(rows)
        """,
        "return torch.cat([(row - row.mean()) / row.std() for row in batch.split(1)])",
    ),
    "reading": _variants(
        "report",
        """
        total = score = 0.0
        worst = 0.0
        for k in range(len(targets)):
            total += each[k].item()
            worst = max(worst, each[k].item())
            score += outputs[k, targets[k]].item()
        $steps.append((total / len(targets), worst, score / len(targets)))
        """,
        """
        values = [each[k].item() for k in range(len(each))]
        worst = max(each[k].item() for k in range(len(each)))
        scores = [outputs[k, t].item() for k, t in enumerate(targets)]
        $steps.append((sum(values) / len(values), worst, sum(scores) / len(scores)))
        """,
    ),
    "table": _variants(
        "cosines",
        """
        times = torch.linspace(0, 1, 2 * length + 1, dtype=torch.float64)[1::2]
        angles = math.pi * times.reshape(-1, 1) * torch.arange(length).reshape(1, -1)
        return ((2 / length) ** 0.5 * angles.cos()).to(dtype)
        """,
        """
        k = torch.arange(length, dtype=torch.float64)
        table = torch.cos(math.pi / length * (k[:, None] + 0.5) * k)
        return (table * math.sqrt(2 / length)).to(dtype)
        """,
    ),
    "dtype": _variants(
        "types",
        "signals = signals.double()\nmodel.double()",
        "signals = signals.to(torch.float64)\nmodel = model.to(signals.dtype)",
    ),
    "activation": _variants(
        "swish",
        "return 0.5 * x * (1 + torch.tanh(0.5 * x))",
        "return x * (1 / (1 + torch.exp(-x)))",
    ),
    "loader": (
        {
            "imports": "from torch.utils.data import DataLoader, Subset, TensorDataset",
            "batches": """
                chosen = Subset(TensorDataset(signals, labels), order.tolist())
                for inputs, targets in DataLoader(chosen, batch_size=batch_size):
                    yield inputs, targets
            """,
        },
        {
            "imports": "from torch.utils.data import DataLoader, Dataset",
            "dataset": """
                class Recordings(Dataset):
                    def __init__(self, signals, labels, order):
                        self.signals, self.labels, self.order = signals, labels, order

                    def __len__(self):
                        return len(self.order)

                    def __getitem__(self, place):
                        index = int(self.order[place])
                        return self.signals[index], self.labels[index]
            """,
            "batches": """
                recordings = Recordings(signals, labels, order)
                yield from DataLoader(recordings, batch_size=batch_size)
            """,
        },
    ),
    "graph": _variants("keep", "$kept.append(loss.clone())", "$kept.append(loss)"),
}

_TRANSFORMER: Mapping[str, tuple[Fragments, ...]] = {
    "loop": _variants(
        "patches",
        """
        cut = []
        for signal in batch:
            signal = (signal - signal.mean()) / signal.std()
            cut.append(torch.stack(signal.split(PATCH)))
        return torch.stack(cut)
        """,
        """
        scaled = [(signal - signal.mean()) / signal.std() for signal in batch.unbind()]
        return torch.stack([torch.stack(signal.split(PATCH)) for signal in scaled])
        """,
    ),
    "reading": _variants(
        "report",
        """
        found = [each[k].item() for k in range(len(targets))]
        worst = max(each[k].item() for k in range(len(targets)))
        scores = [outputs[k][targets[k]].item() for k in range(len(targets))]
        $steps.append((sum(found) / len(found), worst, sum(scores) / len(scores)))
        """,
        """
        found, worst, score = 0.0, 0.0, 0.0
        for k, (row, target) in enumerate(zip(outputs, targets)):
            found += each[k].item() / len(targets)
            worst = each[k].item() if each[k].item() > worst else worst
            score += row[target].item() / len(targets)
        $steps.append((found, worst, score))
        """,
    ),
    "table": _variants(
        "positions",
        """
        rates = [1e4 ** -(k // 2 * 2 / width) for k in range(width)]
        waves = [(math.sin, math.cos)[k % 2] for k in range(width)]
        rows = [[waves[k](place * rates[k]) for k in range(width)] for place in range(longest)]
        return torch.tensor(rows, dtype=dtype)
        """,
        """
        angles = torch.zeros(longest, width // 2, dtype=torch.float64)
        for k in range(width // 2):
            column = [place / 1e4 ** (2 * k / width) for place in range(longest)]
            angles[:, k] = torch.tensor(column, dtype=torch.float64)
        return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1).to(dtype)
        """,
    ),
    "dtype": _variants(
        "types",
        "kind = torch.float64\nmodel, signals = model.to(kind), signals.to(kind)",
        "signals = signals.type(torch.double)\nmodel.type(torch.double)",
    ),
    "activation": (
        {
            "gelu": "return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))",
            "attention": """
                scores = queries @ keys.transpose(-2, -1) / math.sqrt(queries.shape[-1])
                weights = torch.exp(scores - scores.amax(-1, keepdim=True))
                return (weights / weights.sum(-1, keepdim=True)) @ values
            """,
        },
        {
            "gelu": "return x * (0.5 + 0.5 * torch.erf(x * 0.5**0.5))",
            "attention": """
                products = torch.einsum("bhqd,bhkd->bhqk", queries, keys)
                scores = torch.exp(products * queries.shape[-1] ** -0.5)
                weights = scores / scores.sum(dim=-1, keepdim=True)
                return torch.einsum("bhqk,bhkd->bhqd", weights, values)
            """,
        },
    ),
    "loader": _variants(
        "batches",
        """
        for first in range(0, len(order), batch_size):
            samples = [(signals[k], labels[k]) for k in order[first : first + batch_size]]
            yield tuple(torch.stack(part) for part in zip(*samples))
        """,
        """
        inputs, targets = [], []
        for k in order:
            inputs.append(signals[k])
            targets.append(labels[k])
            if len(inputs) == batch_size:
                yield torch.stack(inputs), torch.stack(targets)
                inputs, targets = [], []
        if inputs:
            yield torch.stack(inputs), torch.stack(targets)
        """,
    ),
    "graph": (
        {
            "start": "$kept = []",
            "keep": "$kept.append(loss)",
            "mean": "torch.stack($kept).mean().item()",
        },
        {
            "start": "$kept = torch.zeros(())",
            "keep": "$kept = $kept + loss",
            "mean": "$kept.item() / math.ceil(len(signals) / batch_size)",
        },
    ),
}

SLOW: Mapping[str, Mapping[str, tuple[Fragments, ...]]] = {
    "network": _NETWORK,
    "transformer": _TRANSFORMER,
}
"""The variants of each fault, as fragments by placeholder; the fixes are in the tests."""

_NETWORK_SCRIPT = '''
"""Train a network that tells $things apart by frequency. It works, but it is slow."""

import math

import torch
import torch.nn.functional as F
from torch import nn
$imports


$dataset


def batches(signals, labels, order, batch_size):
    """Go through the $things in the given order."""
    $batches


def standardise(batch):
    """Bring each signal to mean 0 and standard deviation 1."""
    $standardise


def cosines(length, dtype=torch.float64):
    """The table of the cosine transform."""
    $cosines


def swish(x):
    $swish


class $Net(nn.Module):
    def __init__(self, length, width, classes=10):
        super().__init__()
        self.first = nn.Linear(length, width)
        self.second = nn.Linear(width, width)
        self.last = nn.Linear(width, classes)
        $ready

    def forward(self, signals):
        $spectrum
        hidden = swish(self.first(spectrum))
        hidden = swish(self.second(hidden))
        return self.last(hidden)


def train(signals, labels, width, epochs, batch_size, rate, seed):
    """Return what each step reports (loss, worst loss, score), and each epoch's mean loss."""
    torch.manual_seed(seed)
    model = $Net(signals.shape[1], width)
    $types
    $weights = list(model.parameters())
    $velocity = [torch.zeros_like(weight) for weight in $weights]
    shuffle = torch.Generator().manual_seed(seed)
    $steps, epoch_losses = [], []
    for _ in range(epochs):
        order = torch.randperm(len(signals), generator=shuffle)
        $kept = []
        for inputs, targets in batches(signals, labels, order, batch_size):
            outputs = model($input)
            each = F.cross_entropy(outputs, targets, reduction="none")
            loss = each.mean()
            $gradients
            with torch.no_grad():
                for weight, speed, gradient in zip($weights, $velocity, gradients):
                    speed.mul_($momentum).add_(gradient)
                    weight.sub_(rate * speed)
            $keep
            $report
        epoch_losses.append((sum($kept) / len($kept)).item())
    return $result, epoch_losses
'''

_MAIN = """if __name__ == "__main__":
    torch.manual_seed($number)
    labels = torch.randint(10, ($count,))
    time = torch.arange($length) / $length
    waves = torch.sin(2 * math.pi * ((2 * labels + 1)[:, None] * time + torch.rand($count, 1)))
    noisy = waves * torch.rand($count, 1) + $noise * torch.randn($count, $length)
    reports, means = train(noisy, labels, $width, $epochs, $batch, $rate, $number)
    print(f"{len(reports)} steps, loss by epoch:", *(f"{mean:.4f}" for mean in means))
"""

_TRANSFORMER_SCRIPT = '''
"""Train a transformer that tells $things apart by frequency. It works, but it is slow."""

import math

import torch
import torch.nn.functional as F
from torch import nn

PATCH = 8  # numbers of a signal that form one token
LONGEST = 512  # tokens of the longest signal


def batches(signals, labels, order, batch_size):
    """Go through the $things in the given order."""
    $batches


def patches(batch):
    """Bring each signal to mean 0 and standard deviation 1, and cut it into patches."""
    $patches


def positions(longest, width, dtype=torch.float64):
    """The table of sines and cosines that tells where a patch is."""
    $positions


def gelu(x):
    $gelu


def attention(queries, keys, values):
    """Each patch's mean of all values, weighted by how well the keys match its query."""
    $attention


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
        x = x + self.join(attention(*heads).transpose(1, 2).flatten(2))
        return x + self.narrow(gelu(self.widen(self.second_norm(x))))


class $Net(nn.Module):
    def __init__(self, width, classes=10):
        super().__init__()
        self.width = width
        self.embed = nn.Linear(PATCH, width)
        self.block = Block(width)
        self.last = nn.Linear(width, classes)

    def forward(self, $given):
        $tokens
        table = positions(LONGEST, self.width, tokens.dtype)
        x = self.embed(tokens) + table[: tokens.shape[1]]
        return self.last(self.block(x).mean(dim=1))


def train(signals, labels, width, epochs, batch_size, rate, seed):
    """Return what each step reports (loss, worst loss, score), and each epoch's mean loss."""
    torch.manual_seed(seed)
    model = $Net(width)
    $types
    $optimiser = torch.optim.SGD(model.parameters(), lr=rate, momentum=$momentum)
    shuffle = torch.Generator().manual_seed(seed)
    $steps, epoch_losses = [], []
    for _ in range(epochs):
        order = torch.randperm(len(signals), generator=shuffle)
        $start
        for inputs, targets in batches(signals, labels, order, batch_size):
            outputs = model($input)
            each = F.cross_entropy(outputs, targets, reduction="none")
            loss = each.mean()
            $optimiser.zero_grad()
            $gradients
            $optimiser.step()
            $keep
            $report
        epoch_losses.append($mean)
    return $result, epoch_losses
'''

# The features are computed in the model, or partly before it.
_NETWORK_PLACES: tuple[Fragments, ...] = (
    {
        "spectrum": "spectrum = standardise(signals) @ cosines(signals.shape[1], signals.dtype)",
        "input": "inputs",
    },
    {
        "spectrum": "spectrum = signals @ self.transform(signals)",
        "ready": "self.transform = lambda signals: cosines(signals.shape[-1], signals.dtype)",
        "input": "standardise(inputs)",
    },
)
_TRANSFORMER_PLACES: tuple[Fragments, ...] = (
    {"given": "tokens", "input": "patches(inputs)"},
    {"given": "signals", "tokens": "tokens = patches(signals)", "input": "inputs"},
)


@dataclass(frozen=True)
class _Kind:
    """What differs between the kinds of script."""

    script: str
    places: tuple[Fragments, ...]
    parts: Fragments  # without a variant
    names: tuple[str, ...]  # the placeholders that `words` fill
    words: tuple[tuple[str, ...], ...]
    sizes: Mapping[str, Sequence[float]]


_KINDS: Mapping[str, _Kind] = {
    "network": _Kind(
        script=_NETWORK_SCRIPT,
        places=_NETWORK_PLACES,
        parts={
            "gradients": "gradients = torch.autograd.grad(loss, $weights, retain_graph=True)",
            "dataset": "", "ready": "", "imports": "",
        },
        names=("things", "Net", "weights", "velocity", "steps", "kept"),
        words=(
            ("whistles", "Listener", "weights", "momenta", "reports", "losses"),
            ("bird calls", "Network", "parameters", "velocities", "log", "running"),
            ("engine sounds", "Model", "params", "buffers", "history", "epoch"),
        ),
        sizes={
            "count": [3000, 3300, 3600], "length": [192, 224, 256], "noise": [0.5, 0.7, 0.9],
            "width": [128, 160, 192], "epochs": [3, 4], "batch": [32, 40, 48],
            "rate": [0.02, 0.03, 0.05],
        },
    ),
    "transformer": _Kind(
        script=_TRANSFORMER_SCRIPT,
        places=_TRANSFORMER_PLACES,
        parts={"gradients": "loss.backward(retain_graph=True)", "tokens": ""},
        names=("things", "Net", "optimiser", "steps", "kept"),
        words=(
            ("whistles", "Listener", "optimiser", "reports", "total"),
            ("bird calls", "Transformer", "sgd", "log", "running"),
            ("engine sounds", "Classifier", "updates", "history", "losses"),
        ),
        sizes={
            "count": [2000, 2200, 2400], "length": [96, 112, 128], "noise": [0.5, 0.7, 0.9],
            "width": [32, 36, 40], "epochs": [3, 4], "batch": [32, 40, 48],
            "rate": [0.05, 0.08, 0.1],
        },
    ),
}  # fmt: skip


def seed_of(name: str) -> int:
    """Return the seed of a student's script.

    >>> seed_of("ada") == seed_of(" Ada ")
    True
    """
    return zlib.crc32(name.strip().lower().encode()) % 10_000


def script(seed: int, fragments: Fragments | None = None, kind: str = "network") -> str:
    """Return the script of a seed."""
    generator, this = random.Random(f"capstone {seed}"), _KINDS[kind]
    words = dict(zip(this.names, generator.choice(this.words), strict=True))
    parts = {"result": "$steps", **this.parts, **generator.choice(this.places)}
    for fault in FAULTS:
        parts |= generator.choice(SLOW[kind][fault])
    parts |= fragments or {}
    constants = {name: generator.choice(sizes) for name, sizes in this.sizes.items()}
    lines = []
    for line in f"{this.script.strip()}\n\n\n{_MAIN}".splitlines():
        place = line.strip().removeprefix("$")
        if line.strip().startswith("$") and place in parts:
            indent = line[: len(line) - len(line.lstrip())]
            text = textwrap.indent(textwrap.dedent(parts[place]).strip("\n"), indent)
            lines.extend(text.splitlines())
        else:
            lines.append(line)
    text = Template("\n".join(lines)).safe_substitute(parts)
    text = Template(text).substitute({**constants, "number": seed, "momentum": 0.9, **words})
    return re.sub(r"\n{4,}", "\n\n\n", text).strip() + "\n"


@cache
def train_of(source: str) -> Any:
    """Return the function ``train`` of a script."""
    namespace: dict[str, Any] = {"__name__": "script"}
    exec(compile(source, "<script>", "exec"), namespace)
    return namespace["train"]


def original(*arguments: Any, **keywords: Any) -> Any:
    """Train with the unchanged network; grading compares with it."""
    return train_of(script(0))(*arguments, **keywords)


def original_transformer(*arguments: Any, **keywords: Any) -> Any:
    """Train with the unchanged transformer; grading compares with it."""
    return train_of(script(0, kind="transformer"))(*arguments, **keywords)


ORIGINALS = {"network": original, "transformer": original_transformer}
