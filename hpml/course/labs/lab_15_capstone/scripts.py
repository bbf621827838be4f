"""Generate a slow training script from a seed, with seven faults that vary by student."""

from __future__ import annotations

import random
import re
import textwrap
import zlib
from collections.abc import Mapping
from functools import cache
from string import Template
from typing import Any

FAULTS = ("loop", "reading", "table", "dtype", "activation", "loader", "graph")
"""A loop over a batch, numbers read one by one, a table computed again, float64, an unfused
activation, samples collected one by one, and graphs kept alive."""

Fragments = Mapping[str, str]


def _variants(placeholder: str, *texts: str) -> tuple[Fragments, ...]:
    return tuple({placeholder: text} for text in texts)


SLOW: Mapping[str, tuple[Fragments, ...]] = {
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
"""The variants of each fault, as fragments by placeholder; the fixes are in the tests."""

_SCRIPT = '''"""Train a network that tells $things apart by frequency. It works, but it is slow."""

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


if __name__ == "__main__":
    torch.manual_seed($number)
    labels = torch.randint(10, ($count,))
    time = torch.arange($length) / $length
    waves = torch.sin(2 * math.pi * ((2 * labels + 1)[:, None] * time + torch.rand($count, 1)))
    noisy = waves * torch.rand($count, 1) + $noise * torch.randn($count, $length)
    reports, means = train(noisy, labels, $width, $epochs, $batch, $rate, $number)
    print(f"{len(reports)} steps, loss by epoch:", *(f"{mean:.4f}" for mean in means))
'''

# The features are computed in the model, or partly before it.
_PLACES: tuple[Fragments, ...] = (
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
_NAMES = ("things", "Net", "weights", "velocity", "steps", "kept")
_WORDS = (
    ("whistles", "Listener", "weights", "momenta", "reports", "losses"),
    ("bird calls", "Network", "parameters", "velocities", "log", "running"),
    ("engine sounds", "Model", "params", "buffers", "history", "epoch"),
)


def seed_of(name: str) -> int:
    """Return the seed of a student's script.

    >>> seed_of("ada") == seed_of(" Ada ")
    True
    """
    return zlib.crc32(name.strip().lower().encode()) % 10_000


def script(seed: int, fragments: Fragments | None = None) -> str:
    """Return the script of a seed."""
    generator = random.Random(f"capstone {seed}")
    words = dict(zip(_NAMES, generator.choice(_WORDS), strict=True))
    parts = {
        "dataset": "", "ready": "", "result": "$steps",
        "gradients": "gradients = torch.autograd.grad(loss, $weights, retain_graph=True)",
        **generator.choice(_PLACES),
    }  # fmt: skip
    for fault in FAULTS:
        parts |= generator.choice(SLOW[fault])
    parts |= fragments or {}
    constants = {
        "number": seed, "momentum": 0.9,
        "count": generator.choice([3000, 3300, 3600]), "length": generator.choice([192, 224, 256]),
        "noise": generator.choice([0.5, 0.7, 0.9]), "width": generator.choice([128, 160, 192]),
        "epochs": generator.choice([3, 4]), "batch": generator.choice([32, 40, 48]),
        "rate": generator.choice([0.02, 0.03, 0.05]),
    }  # fmt: skip
    lines = []
    for line in _SCRIPT.splitlines():
        place = line.strip().removeprefix("$")
        if line.strip().startswith("$") and place in parts:
            indent = line[: len(line) - len(line.lstrip())]
            text = textwrap.indent(textwrap.dedent(parts[place]).strip("\n"), indent)
            lines.extend(text.splitlines())
        else:
            lines.append(line)
    text = Template("\n".join(lines)).safe_substitute(parts)
    text = Template(text).substitute({**constants, **words})
    return re.sub(r"\n{4,}", "\n\n\n", text).strip() + "\n"


@cache
def train_of(source: str) -> Any:
    """Return the function ``train`` of a script."""
    namespace: dict[str, Any] = {"__name__": "script"}
    exec(compile(source, "<script>", "exec"), namespace)
    return namespace["train"]


def original(*arguments: Any, **keywords: Any) -> Any:
    """Train with the unchanged script; grading compares with it."""
    return train_of(script(0))(*arguments, **keywords)
