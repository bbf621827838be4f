"""Pictures drawn by a rule: 64 by 64 pixels in colour, 20 classes, as many as one likes.

A class is a form with a pattern on it. Neither colour nor place, size, angle or brightness say
anything about it; noise, a second bar across the picture and low contrast make it hard enough that
one way of training comes out ahead of another.

All is computed in whole numbers, the random ones by SplitMix64 from the seed and the place in the
set, so that each machine draws the same bytes, and a smaller set is the beginning of a larger one.

Source of the generator: G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number
Generators", OOPSLA 2014
"""

from __future__ import annotations

import numpy as np
import torch

from hpml.datasets.dataset import Dataset, Pictures
from hpml.datasets.errors import DatasetError

RESOLUTION = 64
FORMS = ("disc", "square", "diamond", "ring", "cross")
PATTERNS = ("plain", "striped", "checked", "dotted")
CLASSES = tuple(f"{pattern} {form}" for form in FORMS for pattern in PATTERNS)

TRAIN, VALIDATION = 2000, 500
AT_ONCE = 200
"""Pictures drawn together, so that the working memory stays small."""

# Whole numbers (25 cos, 25 sin) of three angles, 0 and 16 degrees to both sides: a rotation without
# rounding.
_ROTATIONS = np.array([(25, 0), (24, 7), (24, -7)], np.int32)

Numbers = np.ndarray[tuple[int, ...], np.dtype[np.int32]]


def procedural(train: int = TRAIN, validation: int = VALIDATION, *, seed: int = 0) -> Dataset:
    """Return drawn pictures in 20 classes, each as often as the others.

    Args:
        train, validation: how many pictures, at least 1.
        seed: of all that is random. Training and validation never share a picture.

    Raises:
        DatasetError: if fewer than one picture is asked for.

    >>> data = procedural(40, 20)
    >>> data.train.images.shape, data.classes[1], data.train.labels[:3]
    (torch.Size([40, 3, 64, 64]), 'striped disc', tensor([0, 1, 2]))
    """
    if train < 1 or validation < 1:
        raise DatasetError(
            "procedural: expected at least 1 picture to train and 1 to validate, "
            f"got train={train} and validation={validation}."
        )
    return Dataset(
        "procedural",
        CLASSES,
        _draw(train, 2 * seed),
        _draw(validation, 2 * seed + 1),
        f"drawn by hpml.datasets.procedural from seed {seed}",
    )


def _draw(count: int, stream: int) -> Pictures:
    images = np.empty((count, 3, RESOLUTION, RESOLUTION), np.uint8)
    for start in range(0, count, AT_ONCE):
        images[start : start + AT_ONCE] = _some(
            np.arange(start, min(start + AT_ONCE, count), dtype=np.int32), stream
        )
    labels = torch.arange(count) % len(CLASSES)
    return Pictures(torch.from_numpy(images), labels)


def _some(numbers: Numbers, stream: int) -> Numbers:
    """Return the pictures of the given numbers."""
    kind = numbers % len(CLASSES)
    chance = _Chance(numbers, stream)
    size = chance(20, 28)
    u, v = _rotated(chance(26, 39), chance(26, 39), chance(0, len(_ROTATIONS)))
    inside = _form(kind // len(PATTERNS), u, v, _wide(size))
    bright = _pattern(kind % len(PATTERNS), u, v, _wide(chance(5, 8)))
    bar_u, _ = _rotated(chance(0, RESOLUTION), chance(0, RESOLUTION), chance(0, len(_ROTATIONS)))
    bar = np.abs(bar_u) < _wide(chance(1, 4))
    images = np.empty((len(numbers), 3, RESOLUTION, RESOLUTION), np.int32)
    for channel in range(3):
        ground, contrast, other = chance(108, 148), chance(70, 108), chance(0, 256)
        signed = contrast * (2 * chance(0, 2) - 1)
        shown = np.where(inside, _wide(signed) * bright, 0) + _wide(ground)
        images[:, channel] = np.where(bar, _wide(other), shown)
    images += chance.noise(images.shape)
    return np.clip(images, 0, 255)


class _Chance:
    """Random whole numbers of each picture: what one asks for next does not depend on the rest."""

    def __init__(self, numbers: Numbers, stream: int) -> None:
        with np.errstate(over="ignore"):
            self.keys = _mixed(numbers.astype(np.uint64) + np.uint64((stream % 2**32) << 32))
        self.asked = 0

    def __call__(self, low: int, high: int) -> Numbers:
        """Return one number of each picture, ``low <= number < high``."""
        self.asked += 1
        return low + (self._bits(np.uint64(self.asked)) % np.uint64(high - low)).astype(np.int32)

    def noise(self, shape: tuple[int, ...]) -> Numbers:
        """Return noise of mean 0 for each element, from -13 to 12: a sum of two random bytes."""
        places = np.arange(1000, 1000 + int(np.prod(shape[1:])) // 4, dtype=np.uint64)
        bits = _mixed(self.keys[:, None] + places * np.uint64(0x9E3779B97F4A7C15))
        pairs = bits.astype("<u8").view(np.uint8).reshape(*shape, 2).astype(np.int16)
        return np.asarray((pairs[..., 0] + pairs[..., 1] - 255) // 20, np.int32)

    def _bits(self, place: np.uint64) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
        with np.errstate(over="ignore"):
            return _mixed(self.keys + place * np.uint64(0x9E3779B97F4A7C15))


def _mixed(
    x: np.ndarray[tuple[int, ...], np.dtype[np.uint64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    """Return SplitMix64's output for each state; products wrap around at 64 bits."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _wide(values: Numbers) -> Numbers:
    """Return a value for each picture as one for all its pixels."""
    return values[:, None, None]


def _rotated(row: Numbers, column: Numbers, angle: Numbers) -> tuple[Numbers, Numbers]:
    """Return the coordinates of each pixel from a centre, along axes turned by an angle."""
    y = np.arange(RESOLUTION, dtype=np.int32)[None, :, None] - _wide(row)
    x = np.arange(RESOLUTION, dtype=np.int32)[None, None, :] - _wide(column)
    cosine, sine = (_wide(part) for part in _ROTATIONS[angle].T)
    return (cosine * x - sine * y) // 25, (sine * x + cosine * y) // 25


def _form(
    form: Numbers, u: Numbers, v: Numbers, size: Numbers
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return which pixels belong to the form."""
    across, along = np.abs(u), np.abs(v)
    round_ = u * u + v * v
    square = np.maximum(across, along)
    forms = (
        round_ < size * size,
        square * 8 < size * 7,
        across + along < size,
        (round_ < size * size) & (round_ * 4 > size * size),
        (square < size) & (np.minimum(across, along) * 3 < size),
    )
    return np.select([_wide(form) == number for number in range(len(forms))], forms)


def _pattern(pattern: Numbers, u: Numbers, v: Numbers, period: Numbers) -> Numbers:
    """Return 1 or -1 for each pixel: the sign of its contrast."""
    half = (u // period) % 2
    other = (v // period) % 2
    patterns = (np.zeros_like(half), half, half ^ other, half & other)
    return 1 - 2 * np.select([_wide(pattern) == number for number in range(4)], patterns)
