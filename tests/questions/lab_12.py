from __future__ import annotations

import statistics

import numpy as np
import torch

from tests.questions.answers import solution


def question_1() -> object:
    steps = [9.0, 1.1, 0.9, 1.0, 1.0, 1.0]
    return solution("lab_12/epoch_estimate")(steps, 100)[0]


def question_2() -> None:
    steps = [1.0] * 9 + [3.0]
    assert sum(steps * 10) == 100 * statistics.fmean(steps)
    assert round(100 * (1 - statistics.median(steps) / statistics.fmean(steps))) == 17


def question_3() -> object:
    counter = np.float16(0)
    while counter + np.float16(1) != counter:
        counter += np.float16(1)
    assert np.spacing(np.float16(2048)) == 2
    return float(counter)


def question_4() -> None:
    half, brain, single = (torch.finfo(t) for t in (torch.float16, torch.bfloat16, torch.float32))
    assert half.eps == 2**-10
    assert brain.eps == 2**-7
    assert brain.max > 1e38
    assert 0.99 * single.max < brain.max < single.max
    assert brain.tiny == single.tiny
    assert half.max == 65504
    small = torch.tensor(1e-8)
    assert small.half() == 0
    assert small.bfloat16() != 0


def question_5() -> None:
    weight = torch.nn.Parameter(torch.tensor([1.0]))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)

    def step(gradient: float) -> tuple[float, float]:
        optimizer.zero_grad()
        scaler.scale((weight * gradient).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        return weight.item(), scaler.get_scale()

    assert step(float("inf")) == (1.0, 4.0), "skipped, and the scale halved"
    assert step(0.25) == (0.75, 4.0), "the gradient is divided by the scale"
    assert step(0.25) == (0.5, 8.0), "doubled after two good steps"
    assert step(0.25)[1] == 8.0
    assert step(float("nan")) == (0.25, 4.0)
    assert step(0.25)[1] == 4.0, "the count of good steps began again"


def question_6() -> None:
    vanilla, amp = [91.8, 92.6, 93.1, 92.2], [92.0, 92.9, 92.5, 91.9]
    difference = statistics.fmean(vanilla) - statistics.fmean(amp)
    assert round(difference, 1) == 0.1
    assert round(max(vanilla) - min(vanilla), 1) == 1.3
    pairs = [a - b for a, b in zip(vanilla, amp, strict=True)]
    error = statistics.stdev(pairs) / len(pairs) ** 0.5
    assert abs(statistics.fmean(pairs)) < error, "far within the noise of four seeds"
