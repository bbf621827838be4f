import math

import torch
import torch.nn.functional as F

SAYS: dict[str, str] = {
    "Fix your script.": "the task; the sentences below say what is asked",
    "Run the next cell.": "how to use the notebook",
    "In the cell after it, set `PASTE` to `True` once": "how to use the notebook",
    "Work there: the last definition of `train` counts.": "how to use the notebook",
    "Computing in float32 changes far less than that": "context: which differences are too large",
    "The grader measures in rounds on one thread": "how the ratio is measured; tests of the grader's"
    " speed try it",
    "A script without the planted faults is three": "context: what can be reached",
    "(The grader prints the time as a fraction": "how to read the report",
    "The grader accepts the reports of either original": "which original counts; test_scripts tries it",
    "All scripts of one kind compute the same": "a promise about the scripts; test_scripts tries it",
    "So the points do not depend on your name.": "a promise about the scripts; test_scripts tries it",
}

EQUIVALENT: dict[str, str] = {
    "59: True → False": "the lists have a length: that of the parameters",
    "66: tuple(step) → step": "a list is accepted for a tuple",
}


def _standardised(batch, correction=1, small=0.0):
    mean = batch.mean(dim=1, keepdim=True)
    return (batch - mean) / (batch.std(dim=1, keepdim=True, correction=correction) + small)


def _cosines(length):
    times = torch.linspace(0, 1, 2 * length + 1, dtype=torch.float64)[1::2]
    angles = math.pi * times.reshape(-1, 1) * torch.arange(length).reshape(1, -1)
    return (2 / length) ** 0.5 * angles.cos()


class _Network(torch.nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.first = torch.nn.Linear(length, width)
        self.second = torch.nn.Linear(width, width)
        self.last = torch.nn.Linear(width, 10)

    def forward(self, signals, table, activation):
        hidden = activation(self.first(signals @ table))
        return self.last(activation(self.second(hidden)))


def _train(
    signals,
    labels,
    width,
    epochs,
    batch_size,
    rate,
    seed,
    *,
    standardise=_standardised,
    table=_cosines,
    dtype=torch.float32,
    activation=F.silu,
    momentum=0.9,
    shuffled=lambda count, rng, seed: torch.randperm(count, generator=rng),
    drop_last=False,
    loss_of=torch.mean,
    again=False,
):
    torch.manual_seed(seed)
    model = _Network(signals.shape[1], width).to(dtype)
    parameters = [*model.parameters()]
    velocities = [torch.zeros_like(weight) for weight in parameters]
    rng = torch.Generator().manual_seed(seed)
    steps, means, known = [], [], None if again else table(signals.shape[1]).to(dtype)
    for _ in range(epochs):
        order, losses = shuffled(len(signals), rng, seed), []
        for rows in order.split(batch_size):
            if drop_last and len(rows) < batch_size:
                continue
            inputs = standardise(signals[rows].to(dtype))
            cosines = table(signals.shape[1]).to(dtype) if known is None else known
            outputs, targets = model(inputs, cosines, activation), labels[rows]
            each = F.cross_entropy(outputs, targets, reduction="none")
            gradients = torch.autograd.grad(loss_of(each), parameters)
            with torch.no_grad():
                for weight, speed, gradient in zip(parameters, velocities, gradients, strict=True):
                    speed.mul_(momentum).add_(gradient)
                    weight.sub_(rate * speed)
            score = outputs.gather(1, targets[:, None]).mean()
            steps.append((each.mean().item(), each.max().item(), score.item()))
            losses.append(steps[-1][0])
        means.append(sum(losses) / len(losses) if losses else 0.0)
    return steps, means


class _Transformer(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embed = torch.nn.Linear(8, width)
        self.norms = torch.nn.ModuleList([torch.nn.LayerNorm(width) for _ in range(2)])
        self.parts, self.join = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.widen, self.narrow = (
            torch.nn.Linear(width, 4 * width),
            torch.nn.Linear(4 * width, width),
        )
        self.last = torch.nn.Linear(width, 10)

    def forward(self, tokens, table):
        x = self.embed(tokens) + table
        parts = self.parts(self.norms[0](x)).chunk(3, dim=-1)
        heads = [part.unflatten(-1, (4, -1)).transpose(1, 2) for part in parts]
        x = x + self.join(F.scaled_dot_product_attention(*heads).transpose(1, 2).flatten(2))
        x = x + self.narrow(F.gelu(self.widen(self.norms[1](x))))
        return self.last(x.mean(dim=1))


def _transformer(
    signals,
    labels,
    width,
    epochs,
    batch_size,
    rate,
    seed,
    *,
    cut=lambda signals: _standardised(signals).unflatten(1, (-1, 8)),
    dtype=torch.float32,
    places=1.0,
    again=1,
):
    torch.manual_seed(seed)
    model = _Transformer(width).to(dtype)
    updates = torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9)
    rng, steps, means = torch.Generator().manual_seed(seed), [], []
    for _ in range(epochs):
        losses = []
        for rows in torch.randperm(len(signals), generator=rng).split(batch_size):
            for _ in range(again):
                tokens = cut(signals[rows].to(dtype))
            index = torch.arange(0, width, 2, dtype=torch.float64)
            angles = torch.arange(tokens.shape[1])[:, None] / 1e4 ** (index / width)
            table = places * torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)
            outputs, targets = model(tokens, table.to(dtype)), labels[rows]
            each = F.cross_entropy(outputs, targets, reduction="none")
            updates.zero_grad()
            each.mean().backward()
            updates.step()
            score = outputs.gather(1, targets[:, None]).mean()
            steps.append((each.mean().item(), each.max().item(), score.item()))
            losses.append(steps[-1][0])
        means.append(sum(losses) / len(losses))
    return steps, means


def without_a_rate(signals, labels, width, epochs, batch_size, seed):
    """Keep the name and the parameters of `train`."""
    return _train(signals, labels, width, epochs, batch_size, 0.1, seed)


def batch_of_64(signals, labels, width, epochs, batch_size, rate, seed):
    """Keep the name and the parameters of `train`."""
    return _train(signals, labels, width, epochs, 64, rate, seed)


def one_seed_for_all(signals, labels, width, epochs, batch_size, rate, seed):
    """Keep the name and the parameters of `train`."""
    return _train(signals, labels, width, epochs, batch_size, rate, 0)


def two_epochs_for_all(signals, labels, width, epochs, batch_size, rate, seed):
    """Keep the name and the parameters of `train`."""
    return _train(signals, labels, width, 2, batch_size, rate, seed)


def standardises_the_callers_signals(signals, labels, width, epochs, batch_size, rate, seed):
    """Keep the name and the parameters of `train`."""
    signals.copy_(_standardised(signals))
    return _train(signals, labels, width, epochs, batch_size, rate, seed)


def tensors(**settings):
    """the reports of all steps, a tuple of three floats each"""
    steps, means = _train(**settings)
    return [tuple(torch.tensor(step)) for step in steps], means


def a_tensor_of_steps(**settings):
    """the reports of all steps, a tuple of three floats each"""
    steps, means = _train(**settings)
    return torch.tensor(steps), means


def losses_only(**settings):
    """the reports of all steps, a tuple of three floats each"""
    steps, means = _train(**settings)
    return [step[0] for step in steps], means


def without_the_worst(**settings):
    """the reports of all steps, a tuple of three floats each"""
    steps, means = _train(**settings)
    return [(loss, score) for loss, _, score in steps], means


def score_first(**settings):
    """the reports of all steps, a tuple of three floats each"""
    steps, means = _train(**settings)
    return [(score, loss, worst) for loss, worst, score in steps], means


def last_epoch_only(**settings):
    """the reports of all steps, a tuple of three floats each"""
    steps, means = _train(**settings)
    return steps[-len(steps) // settings["epochs"] :], means


def one_of_an_epoch(**settings):
    """the reports of all steps, a tuple of three floats each"""
    steps, means = _train(**settings)
    return steps[:: -(-len(settings["signals"]) // settings["batch_size"])], means


def steps_only(**settings):
    """and the list of the epochs' means"""
    return _train(**settings)[0]


def means_first(**settings):
    """and the list of the epochs' means"""
    return _train(**settings)[::-1]


def a_tensor_of_means(**settings):
    """and the list of the epochs' means"""
    steps, means = _train(**settings)
    return steps, torch.tensor(means)


def mean_of_the_signals(**settings):
    """and the list of the epochs' means"""
    steps, means = _train(**settings)
    count, size = len(settings["signals"]), settings["batch_size"]
    sizes = [min(size, count - first) for first in range(0, count, size)]
    several = len(sizes)
    return steps, [
        sum(s[0] * n for s, n in zip(steps[k * several :], sizes, strict=False)) / count
        for k in range(len(means))
    ]


def last_loss_of_an_epoch(**settings):
    """and the list of the epochs' means"""
    steps, means = _train(**settings)
    several = len(steps) // len(means)
    return steps, [step[0] for step in steps[several - 1 :: several]]


def three_digits(**settings):
    """each number differs from the original's by at most 1e-4"""
    steps, means = _train(**settings)
    return [tuple(round(each, 3) for each in step) for step in steps], means


def in_bfloat16(**settings):
    """each number differs from the original's by at most 1e-4"""
    return _train(**settings, dtype=torch.bfloat16)


def half_the_table(**settings):
    """each number differs from the original's by at most 1e-4"""
    return _train(**settings, table=lambda length: _cosines(length).bfloat16())


def signals_of_16_bits(**settings):
    """each number differs from the original's by at most 1e-4"""
    return _train(**{**settings, "signals": settings["signals"].bfloat16().float()})


def another_activation(**settings):
    """each number differs from the original's by at most 1e-4"""
    return _train(**settings, activation=F.hardswish)


def without_momentum(**settings):
    """each number differs from the original's by at most 1e-4"""
    return _train(**settings, momentum=0.0)


def a_little_less_momentum(**settings):
    """each number differs from the original's by at most 1e-4"""
    return _train(**settings, momentum=0.89)


def deviation_of_a_population(**settings):
    """each number differs from the original's by at most 1e-4"""
    return _train(**settings, standardise=lambda batch: _standardised(batch, 0))


def a_safe_deviation(**settings):
    """each number differs from the original's by at most 1e-4"""
    return _train(**settings, standardise=lambda batch: _standardised(batch, small=1e-2))


def mean_and_deviation_of_the_batch(**settings):
    """each number differs from the original's by at most 1e-4"""
    return _train(**settings, standardise=lambda batch: (batch - batch.mean()) / batch.std())


def without_the_last_batch(**settings):
    """each number differs from the original's by at most 1e-4"""
    return _train(**settings, drop_last=True)


def unshuffled(**settings):
    """each number differs from the original's by at most 1e-4"""
    return _train(**settings, shuffled=lambda count, rng, seed: torch.arange(count))


def the_same_order_in_each_epoch(**settings):
    """each number differs from the original's by at most 1e-4"""

    def shuffled(count, rng, seed):
        return torch.randperm(count, generator=torch.Generator().manual_seed(seed))

    return _train(**settings, shuffled=shuffled)


def sum_of_the_losses(**settings):
    """each number differs from the original's by at most 1e-4"""
    return _train(**settings, loss_of=torch.sum)


def slow_with_a_table_in_each_step(**settings):
    """7 points for the **ratio** to the original."""

    def table(length):
        rows = range(length)
        return (
            torch.tensor(
                [[math.cos(math.pi * (t + 0.5) * k / length) for k in rows] for t in rows],
                dtype=torch.float64,
            )
            * (2 / length) ** 0.5
        )

    return _train(**settings, table=table, again=True)


def slow_row_by_row(**settings):
    """They grow with its logarithm, from none at 1.05 times as fast to all at 2.9 times."""

    def standardise(batch):
        return torch.stack([(row - row.mean()) / row.std() for row in batch])

    def table(length):
        return torch.stack([torch.stack([*row]) for row in _cosines(length)])

    return _train(**settings, standardise=standardise, table=table, again=True)


def slow_with_one_fault(**settings):
    """So every fix that saves time earns points until all are earned"""

    def table(length):
        return torch.stack([torch.stack([*row]) for row in _cosines(length)])

    return _train(**settings, table=table, again=True)


def forbidden_compile(**settings):
    """It may not use `set_num_threads`"""
    return torch.compile(_train)(**settings)


def forbidden_threads(**settings):
    """It may not use `set_num_threads`"""
    torch.set_num_threads(4)
    return _train(**settings)


def forbidden_a_thread(**settings):
    """and `torch`, but not `hpml`"""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor() as pool:
        return pool.submit(_train, **settings).result()


def transformer_in_bfloat16(**settings):
    """each number differs from the original's by at most 1e-4"""
    return _transformer(**settings, dtype=torch.bfloat16)


def transformer_without_positions(**settings):
    """each number differs from the original's by at most 1e-4"""
    return _transformer(**settings, places=0.0)


def transformer_of_a_quarter_of_the_rate(**settings):
    """each number differs from the original's by at most 1e-4"""
    return _transformer(**{**settings, "rate": settings["rate"] / 4})


def transformer_with_the_last_of_an_epoch(**settings):
    """and the list of the epochs' means"""
    steps, means = _transformer(**settings)
    several = len(steps) // len(means)
    return steps, [step[0] for step in steps[several - 1 :: several]]


def slow_transformer_that_cuts_signal_by_signal(**settings):
    """7 points for the **ratio** to the original."""

    def cut(signals):
        return torch.stack([torch.stack([*row.split(8)]) for row in _standardised(signals)])

    return _transformer(**settings, cut=cut, dtype=torch.float64, again=12)
