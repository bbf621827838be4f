"""Tiny ImageNet as it is published: 200 classes, 64 by 64 pixels, 100,000 to train on.

Decoding 110,000 JPEGs takes a minute or more, so it is done once, by several processes, into a file
beside the folder that is mapped into memory ever after.

Source: https://cs231n.stanford.edu/tiny-imagenet-200.zip, from the course CS231n of Stanford; its
pictures are ImageNet's, for research and teaching.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch

from hpml.datasets.dataset import Dataset, Pictures
from hpml.datasets.errors import DatasetError

RESOLUTION = 64
AT_ONCE = 256
"""Pictures that a process decodes before it hands them over."""

_HOW = "Download https://cs231n.stanford.edu/tiny-imagenet-200.zip again and unpack it there."

Bytes = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
Listed = list[tuple[str, int]]
"""Paths of pictures with their labels."""


def tiny_imagenet(folder: str | os.PathLike[str]) -> Dataset:
    """Return Tiny ImageNet, decoded once into files beside its folder.

    One process for each processor decodes. A script that calls this must be guarded by
    ``if __name__ == "__main__"``, since they import it.

    Args:
        folder: ``tiny-imagenet-200``, with ``wnids.txt``, ``words.txt``, ``train`` and ``val``.

    Returns:
        Colour pictures; those in grey have three equal channels. The images are mapped from the
        files ``tiny-imagenet-200.train.npy`` and ``.val.npy``, and read when they are used. Delete
        these after you have replaced a picture by another of the same name.

    Raises:
        DatasetError: which part is missing or broken, or cannot be written, and what to do.
    """
    root = Path(folder)
    if not root.is_dir():
        raise DatasetError(f"{root}: expected the folder of Tiny ImageNet, got nothing. {_HOW}")
    classes = _classes(root)
    labels = {name: place for place, name in enumerate(classes)}
    words = dict(line.split("\t", 1) for line in _lines(root / "words.txt") if "\t" in line)
    parts = {"train": _train(root, labels), "val": _val(root, labels)}
    made = {
        part: Pictures(
            torch.from_numpy(_images(root, part, [path for path, _ in listed])),
            torch.tensor([label for _, label in listed]),
        )
        for part, listed in parts.items()
    }
    named = tuple(words.get(name, name) for name in classes)
    return Dataset("tiny-imagenet", named, made["train"], made["val"], f"Tiny ImageNet in {root}")


def _classes(root: Path) -> list[str]:
    names = _lines(root / "wnids.txt")
    if not names or len(set(names)) != len(names):
        raise DatasetError(
            f"{root / 'wnids.txt'}: expected the name of a class on each line, each once, "
            f"got {len(names)} lines of which {len(set(names))} differ. {_HOW}"
        )
    return names


def _train(root: Path, labels: dict[str, int]) -> Listed:
    listed: Listed = []
    for name, label in labels.items():
        place = root / "train" / name / "images"
        pictures = sorted(place.glob("*.JPEG")) if place.is_dir() else []
        if not pictures:
            raise DatasetError(
                f"{place}: expected pictures *.JPEG of class {name}, got none. {_HOW}"
            )
        listed += [(str(path), label) for path in pictures]
    return listed


def _val(root: Path, labels: dict[str, int]) -> Listed:
    annotations = root / "val" / "val_annotations.txt"
    listed: Listed = []
    for number, line in enumerate(_lines(annotations), start=1):
        picture, _, rest = line.partition("\t")
        name = rest.partition("\t")[0]
        path = root / "val" / "images" / picture
        if name not in labels:
            raise DatasetError(
                f"{annotations}, line {number}: expected a picture, a tab and a class of "
                f"wnids.txt, got {line[:60]!r}. {_HOW}"
            )
        if not path.is_file():
            raise DatasetError(f"{path}: line {number} of {annotations.name} names it, but it is "
                               f"missing. {_HOW}")  # fmt: skip
        listed.append((str(path), labels[name]))
    if not listed:
        raise DatasetError(f"{annotations}: expected a line for each picture, got none. {_HOW}")
    return listed


def _lines(path: Path) -> list[str]:
    try:
        return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: expected a text file of Tiny ImageNet, got "
                           f"{type(error).__name__}. {_HOW}") from error  # fmt: skip


def _images(root: Path, part: str, paths: Sequence[str]) -> Bytes:
    """Return the decoded pictures, from the file of an earlier call if it is of the same."""
    cached = root.parent / f"{root.name}.{part}.npy"
    # Behind the pictures: which they are, in which order. The classes may be others tomorrow.
    names = "\n".join(path.removeprefix(str(root)) for path in paths)
    mark = hashlib.sha256(names.encode("utf-8", "surrogateescape")).digest()
    with contextlib.suppress(OSError, ValueError), open(cached, "rb") as file:
        file.seek(-len(mark), os.SEEK_END)
        if file.read() == mark:
            kept: Bytes = np.load(cached, mmap_mode="c")
            return kept
    # Written beside its place, then renamed: an interruption leaves no half of a file.
    unfinished = cached.with_name(f".{cached.name}.{os.getpid()}.part")
    shape = (len(paths), 3, RESOLUTION, RESOLUTION)
    try:
        with open(unfinished, "wb") as file:
            np.lib.format.write_array_header_1_0(
                file, {"descr": "|u1", "fortran_order": False, "shape": shape}
            )
            for images in _decoded(paths, part):
                file.write(images.data)
            file.write(mark)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(cached)
    except OSError as error:
        raise DatasetError(
            f"{cached}: expected room for the decoded pictures, {len(paths):,} of 12 KiB, in a "
            f"folder that can be written, got {error.strerror or error}; make room, or put "
            f"{root.name} elsewhere and name it."
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)
    made: Bytes = np.load(cached, mmap_mode="c")
    return made


def _decoded(paths: Sequence[str], part: str) -> Iterator[Bytes]:
    from tqdm import tqdm

    portions = [paths[start : start + AT_ONCE] for start in range(0, len(paths), AT_ONCE)]
    count = min(os.cpu_count() or 1, len(portions))
    # Not forked: torch's threads may hold locks that would never be released in the copy.
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"))
    bar = tqdm(total=len(paths), desc=f"decoding {part}", unit="image", file=sys.stderr,
               dynamic_ncols=True)  # fmt: skip
    with bar:
        try:
            for images in pool.map(decode, portions):
                yield images
                bar.update(len(images))
        finally:
            pool.shutdown(cancel_futures=True)


def decode(paths: Sequence[str]) -> Bytes:
    """Return pictures as (number, 3, 64, 64); those in grey are converted."""
    from PIL import Image

    images = np.empty((len(paths), 3, RESOLUTION, RESOLUTION), np.uint8)
    for place, path in enumerate(paths):
        try:
            with Image.open(path) as picture:
                pixels = np.asarray(picture.convert("RGB"))
        except Exception as error:  # whatever a decoder stumbles over, SyntaxError among them
            raise DatasetError(
                f"{path}: expected a JPEG, but it cannot be decoded ({error}). {_HOW}"
            ) from error
        if pixels.shape != (RESOLUTION, RESOLUTION, 3):
            raise DatasetError(
                f"{path}: expected {RESOLUTION} × {RESOLUTION} pixels, "
                f"got {pixels.shape[1]} × {pixels.shape[0]}. {_HOW}"
            )
        images[place] = pixels.transpose(2, 0, 1)
    return images
