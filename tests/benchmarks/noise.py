"""What machines do to times, as models to draw from: for seeing how often an answer is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hpml.benchmark.sampling.rounds import schedule

Times = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Draw = Callable[[np.random.Generator, int, int], Times]


@dataclass(frozen=True)
class Noise:
    """One kind of noise.

    Attributes:
        name: what tables call it.
        draw: returns the logarithms of the factors on the times, (contenders, rounds), of as many
            contenders in as many rounds. All contenders are the same program.
        seen: whether a run of this noise shows that something is wrong with it, so that an honest
            answer can be expected.
    """

    name: str
    draw: Draw
    seen: bool = True


def normal(scale: float) -> Draw:
    """Return noise that is new in each sample, of so much of the time."""
    return lambda generator, contenders, rounds: generator.normal(0, scale, (contenders, rounds))


def _tail(generator: np.random.Generator, contenders: int, rounds: int) -> Times:
    return np.log1p(generator.exponential(0.03, (contenders, rounds)))


def _spikes(generator: np.random.Generator, contenders: int, rounds: int) -> Times:
    shape = contenders, rounds
    hit = generator.random(shape) < 0.1
    return normal(0.01)(generator, *shape) + np.log1p(hit * generator.exponential(1.0, shape))


def _heavy(generator: np.random.Generator, contenders: int, rounds: int) -> Times:
    return 0.01 * generator.standard_t(2, (contenders, rounds))


def wander(generator: np.random.Generator, rounds: int, distance: float) -> Times:
    """Return a random walk of steps that take it about so far by the end, (1, rounds)."""
    steps = generator.normal(0, distance / rounds**0.5, (1, rounds))
    walked: Times = steps.cumsum(axis=1)
    return walked


def _shared_drift(generator: np.random.Generator, contenders: int, rounds: int) -> Times:
    return wander(generator, rounds, 0.2) + normal(0.01)(generator, contenders, rounds)


def _first_pays(generator: np.random.Generator, contenders: int, rounds: int) -> Times:
    times = normal(0.005)(generator, contenders, rounds)
    for k, order in enumerate(schedule(contenders, rounds, seed=int(generator.integers(2**31)))):
        times[order[0], k] += 0.03
    return times


def _one_drifts(generator: np.random.Generator, contenders: int, rounds: int) -> Times:
    times = normal(0.005)(generator, contenders, rounds)
    times[-1] += np.linspace(0, generator.normal(0, 0.05), rounds)
    return times


def one_wanders(noise: float, distance: float) -> Draw:
    """Return noise in which the last contender's time walks at random."""

    def draw(generator: np.random.Generator, contenders: int, rounds: int) -> Times:
        times = normal(noise)(generator, contenders, rounds)
        times[-1] += wander(generator, rounds, distance)[0]
        return times

    return draw


def _sticky_modes(generator: np.random.Generator, contenders: int, rounds: int) -> Times:
    start = generator.random((contenders, 1)) < 0.5
    changes = generator.random((contenders, rounds)) < 0.1
    state = (np.cumsum(changes, axis=1) + start) % 2
    return normal(0.007)(generator, contenders, rounds) + 0.05 * state


def _alike(generator: np.random.Generator, contenders: int, rounds: int) -> Times:
    times = normal(0.03)(generator, contenders, rounds)
    for k in range(1, rounds):
        times[:, k] = 0.8 * times[:, k - 1] + 0.6 * times[:, k]
    return times


def _one_steps(generator: np.random.Generator, contenders: int, rounds: int) -> Times:
    times = normal(0.03)(generator, contenders, rounds)
    times[-1, generator.integers(rounds) :] += 0.05
    return times


def _one_warms_up(generator: np.random.Generator, contenders: int, rounds: int) -> Times:
    times = normal(0.02)(generator, contenders, rounds)
    times[-1] += 0.05 * np.exp(-np.arange(rounds) / 20)
    return times


NOISES = (
    Noise("normal, 1 %", normal(0.01)),
    Noise("normal, 5 %", normal(0.05)),
    Noise("a tail of 3 %", _tail),
    Noise("spikes, one in ten", _spikes),
    Noise("heavy tails", _heavy),
    Noise("all drift together, 20 %", _shared_drift),
    Noise("the first place pays 3 %", _first_pays),
    Noise("one drifts, 5 %", _one_drifts),
    Noise("one wanders, 5 %", one_wanders(0.005, 0.05)),
    Noise("two sticky modes, 5 %", _sticky_modes),
    Noise("neighbours alike, 3 %", _alike),
    Noise("one wanders within the noise", one_wanders(0.01, 0.03), seen=False),
    Noise("one steps by 5 % in 3 %", _one_steps, seen=False),
    Noise("one warms up by 5 % in 2 %", _one_warms_up, seen=False),
)
"""The last move by about as much as the noise, so that too little in the run shows it."""
