"""Tiny ImageNet in its published layout, a few pictures of it drawn here."""

from __future__ import annotations

import os
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from hpml.base.errors import describe
from hpml.course.datasets import DatasetError, tiny_imagenet
from hpml.course.datasets.tiny_imagenet import decode
from tests.parts import raises

# The package's name `tiny_imagenet` is the function.
MODULE = sys.modules["hpml.course.datasets.tiny_imagenet"]
CLASSES = ("n01443537", "n01629819")


def paint(path: Path, shade: int, mode: str = "RGB", size: tuple[int, int] = (64, 64)) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    colour = shade if mode == "L" else (shade, 0, 255 - shade)
    Image.new(mode, size, colour).save(path, "JPEG", quality=95)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two classes, three pictures of each to train and one to validate; one is grey."""
    root = tmp_path / "tiny-imagenet-200"
    for place, name in enumerate(CLASSES):
        for number in range(3):
            grey = place == 0 and number == 2
            path = root / "train" / name / "images" / f"{name}_{number}.JPEG"
            paint(path, 100 * place + 40 * number, "L" if grey else "RGB")
        paint(root / "val" / "images" / f"val_{place}.JPEG", 200)
    lines = [f"val_{place}.JPEG\t{name}\t0\t0\t9\t9" for place, name in enumerate(CLASSES)]
    (root / "val" / "val_annotations.txt").write_text("\n".join(lines) + "\n")
    (root / "wnids.txt").write_text("\n".join(CLASSES) + "\n")
    (root / "words.txt").write_text("n00000001\tentity\nn01443537\tgoldfish, Carassius auratus\n")
    return root


def test_it_is_decoded_by_other_processes_and_mapped_from_a_file_afterwards(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tiny_imagenet(root)
    assert data.classes == ("goldfish, Carassius auratus", "n01629819")
    assert data.train.labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert data.validation.labels.tolist() == [0, 1]
    grey = data.train.images[2]
    assert torch.equal(grey[0], grey[1])
    assert abs(int(grey[0, 0, 0]) - 80) <= 2
    assert abs(int(data.train.images[4, 0, 9, 9]) - 140) <= 3
    beside = sorted(path.name for path in root.parent.iterdir())
    assert beside == [
        "tiny-imagenet-200",
        *(f"tiny-imagenet-200.{p}.npy" for p in ("train", "val")),
    ]
    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor.map", None)  # nothing is decoded
    again = tiny_imagenet(root)
    assert torch.equal(again.train.images, data.train.images)
    assert str(again).endswith(f"(Tiny ImageNet in {root})")


def test_an_interrupt_leaves_nothing_behind_and_the_next_call_decodes_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(paths: list[str], *rest: object) -> object:
        yield decode(paths[:2])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(MODULE, "_decoded", interrupted)
        with pytest.raises(KeyboardInterrupt):
            tiny_imagenet(root)
    assert os.listdir(root.parent) == ["tiny-imagenet-200"]
    monkeypatch.setattr(MODULE, "_decoded", lambda paths, *rest: iter([decode(paths)]))
    assert len(tiny_imagenet(root).train) == 6


def test_a_file_of_another_number_of_pictures_is_made_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MODULE, "_decoded", lambda paths, *rest: iter([decode(paths)]))
    np.save(root.parent / "tiny-imagenet-200.train.npy", np.zeros((5, 3, 64, 64), np.uint8))
    (root.parent / "tiny-imagenet-200.val.npy").write_bytes(b"torn")
    data = tiny_imagenet(root)
    assert (len(data.train), len(data.validation)) == (6, 2)
    assert int(data.validation.images.max()) > 0


def test_other_classes_of_as_many_pictures_are_decoded_anew(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MODULE, "_decoded", lambda paths, *rest: iter([decode(paths)]))
    before = tiny_imagenet(root).train.images.clone()
    (root / "wnids.txt").write_text("\n".join(reversed(CLASSES)) + "\n\n")  # an editor's last line
    assert torch.equal(tiny_imagenet(root).train.images, before.roll(3, 0))


def test_a_picture_that_the_decoder_stumbles_over_is_named(root: Path) -> None:
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header + struct.pack(">I", zlib.crc32(b"IHDR" + header))
    (root / "bomb.JPEG").write_bytes(b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk)
    with raises(DatasetError, object=str(root / "bomb.JPEG"), expected="64 × 64"):
        decode([str(root / "bomb.JPEG")])


@pytest.mark.parametrize("line", ["val_0.JPEG\tn9\t0", "val_0.JPEG"])
def test_a_line_without_a_known_class_is_named(root: Path, line: str) -> None:
    (root / "val" / "val_annotations.txt").write_text(line)
    path = str(root / "val" / "val_annotations.txt")
    with raises(DatasetError, object=path, received=describe(line), remedy="unpack"):
        tiny_imagenet(root)


def test_a_missing_class_a_missing_folder_a_torn_picture_and_a_wrong_size_are_named(
    root: Path,
) -> None:
    with raises(DatasetError, object=str(root / "nowhere"), received="no folder"):
        tiny_imagenet(root / "nowhere")
    with raises(DatasetError, object=str(root / "train" / "wnids.txt"), expected="text"):
        tiny_imagenet(root / "train")
    paint(root / "large.JPEG", 9, size=(65, 64))
    (root / "torn.JPEG").write_text("torn")
    for name in ("large.JPEG", "torn.JPEG", "missing.JPEG"):
        with raises(DatasetError, object=str(root / name), expected="64 × 64", remedy="again"):
            decode([str(root / name)])
    (root / "train" / CLASSES[1] / "images" / f"{CLASSES[1]}_1.JPEG").rename(root / "moved.JPEG")
    folder = str(root / "train" / CLASSES[1] / "images")
    with raises(DatasetError, object=folder, received=("2", "3 of the first class")):
        tiny_imagenet(root)
    (root / "wnids.txt").write_text("n01443537\nn7\n")
    folder = str(root / "train" / "n7" / "images")
    with raises(DatasetError, object=folder, expected="n7", received="0"):
        tiny_imagenet(root)
