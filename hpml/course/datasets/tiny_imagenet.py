"""Tiny ImageNet: 200 classes, 64 by 64 pixels, 100,000 pictures for training.

Decoding 110,000 JPEGs takes a minute or more, so several processes do it once and write a file
beside the folder, which later calls map into memory.

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

from hpml.base.errors import describe
from hpml.course.datasets.dataset import Dataset, DatasetError, Pictures

RESOLUTION = 64
CHUNK = 256
"""Pictures that a process decodes before it returns them."""

_REMEDY = "Download https://cs231n.stanford.edu/tiny-imagenet-200.zip again and unpack it there."

Bytes = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
LabelledPaths = list[tuple[str, int]]
"""Paths of pictures with their labels."""


def tiny_imagenet(folder: str | os.PathLike[str]) -> Dataset:
    """Return Tiny ImageNet, which is decoded once into files beside its folder.

    A script must call this below ``if __name__ == "__main__"``, because the processes that decode
    import the script.

    Args:
        folder: ``tiny-imagenet-200``, with ``wnids.txt``, ``words.txt``, ``train`` and ``val``.

    Returns:
        Colour pictures; greyscale pictures have three equal channels. The images are mapped from
        the files ``tiny-imagenet-200.train.npy`` and ``.val.npy``. Delete these after you replace a
        picture with another one of the same name.

    Raises:
        DatasetError: if there is no such folder, or a picture is missing or broken.
    """
    root = Path(folder)
    if not root.is_dir():
        raise DatasetError(
            object=str(root),
            expected="the folder of Tiny ImageNet",
            received="no folder",
            remedy=_REMEDY,
        )
    classes = _lines(root / "wnids.txt")
    labels = {name: label for label, name in enumerate(classes)}
    words = dict(line.split("\t", 1) for line in _lines(root / "words.txt") if "\t" in line)
    parts = {"train": _train(root, labels), "val": _val(root, labels)}
    sets = {
        part: Pictures(
            torch.from_numpy(_images(root, part, [path for path, _ in labelled])),
            torch.tensor([label for _, label in labelled]),
        )
        for part, labelled in parts.items()
    }
    names = tuple(words.get(name, name) for name in classes)
    return Dataset("tiny-imagenet", names, sets["train"], sets["val"], f"Tiny ImageNet in {root}")


def _train(root: Path, labels: dict[str, int]) -> LabelledPaths:
    labelled: LabelledPaths = []
    count = 0
    for name, label in labels.items():
        folder = root / "train" / name / "images"
        pictures = sorted(folder.glob("*.JPEG")) if folder.is_dir() else []
        count = count or len(pictures)  # each class has as many
        if not pictures or len(pictures) != count:
            raise DatasetError(
                object=str(folder),
                expected=f"pictures *.JPEG of class {name}, as many as of the first class",
                received=f"{len(pictures)} ({count} of the first class)",
                remedy=_REMEDY,
            )
        labelled += [(str(path), label) for path in pictures]
    return labelled


def _val(root: Path, labels: dict[str, int]) -> LabelledPaths:
    labelled: LabelledPaths = []
    for line in _lines(root / "val" / "val_annotations.txt"):
        picture, name, *_ = [*line.split("\t"), ""]
        if name not in labels:
            raise DatasetError(
                object=str(root / "val" / "val_annotations.txt"),
                expected="lines with a picture, a tab and a class of wnids.txt",
                received=describe(line),
                remedy=_REMEDY,
            )
        labelled.append((str(root / "val" / "images" / picture), labels[name]))
    return labelled


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DatasetError(
            object=str(path), expected="a text file", received=str(error), remedy=_REMEDY
        ) from None
    return [line for line in text.splitlines() if line.strip()]


def _images(root: Path, part: str, paths: Sequence[str]) -> Bytes:
    """Return the decoded pictures, from the file of an earlier call if they are the same."""
    cached = root.parent / f"{root.name}.{part}.npy"
    # The file ends with a hash of the names in their order, which depends on the classes.
    names = "\n".join(path.removeprefix(str(root)) for path in paths)
    digest = hashlib.sha256(names.encode("utf-8", "surrogateescape")).digest()
    with contextlib.suppress(OSError, ValueError), open(cached, "rb") as file:
        file.seek(-len(digest), os.SEEK_END)
        if file.read() == digest:
            mapped: Bytes = np.load(cached, mmap_mode="c")
            return mapped
    # Renamed when complete, so an interruption leaves no incomplete file.
    unfinished = cached.with_name(f".{cached.name}.{os.getpid()}.part")
    shape = (len(paths), 3, RESOLUTION, RESOLUTION)
    try:
        with open(unfinished, "wb") as file:
            np.lib.format.write_array_header_1_0(
                file, {"descr": "|u1", "fortran_order": False, "shape": shape}
            )
            for images in _decoded(paths, part):
                file.write(images.data)
            file.write(digest)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(cached)
    finally:
        unfinished.unlink(missing_ok=True)
    decoded: Bytes = np.load(cached, mmap_mode="c")
    return decoded


def _decoded(paths: Sequence[str], part: str) -> Iterator[Bytes]:
    from tqdm import tqdm

    chunks = [paths[start : start + CHUNK] for start in range(0, len(paths), CHUNK)]
    count = min(os.cpu_count() or 1, len(chunks))
    # Not forked, because locks held by torch's threads would never be released in the child.
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"))
    bar = tqdm(
        total=len(paths), desc=f"decoding {part}", unit="image", file=sys.stderr, dynamic_ncols=True
    )
    with bar:
        try:
            for images in pool.map(decode, chunks):
                yield images
                bar.update(len(images))
        finally:
            pool.shutdown(cancel_futures=True)


def decode(paths: Sequence[str]) -> Bytes:
    """Return pictures as uint8, (number, 3, 64, 64); greyscale pictures are converted."""
    from PIL import Image

    images = np.empty((len(paths), 3, RESOLUTION, RESOLUTION), np.uint8)
    for index, path in enumerate(paths):
        try:
            with Image.open(path) as picture:
                pixels = np.asarray(picture.convert("RGB"))
            images[index] = pixels.transpose(2, 0, 1).reshape(images.shape[1:])
        except Exception as error:  # a decoder may raise anything, even SyntaxError
            raise DatasetError(
                object=str(path),
                expected=f"a JPEG of {RESOLUTION} × {RESOLUTION} pixels",
                received=f"a file that fails with: {error}",
                remedy=_REMEDY,
            ) from error
    return images
