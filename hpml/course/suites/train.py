"""The command ``hpml train``: train a network with a recipe, in one process or with `torchrun`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from hpml.base.errors import UsageError, describe
from hpml.base.files import shown_path
from hpml.course.arguments import positive, whole
from hpml.course.files import results_folder

MODELS: dict[str, str | None] = {"convnext": None, "transformer": "austen"}
"""The networks by name, each with the data set that it trains on unless told otherwise."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``hpml train``."""
    parser.add_argument("recipe", metavar="RECIPE", help="an unknown name prints the list")
    parser.add_argument(
        "--model",
        choices=tuple(MODELS),
        default="convnext",
        help="network: of pictures, or of characters (default: %(default)s)",
    )
    parser.add_argument(
        "--data",
        metavar="NAME",
        help="digits, tiny-imagenet or a folder "
        "(default: Tiny ImageNet if present, otherwise digits); "
        "austen for the transformer",
    )
    default = "(default: %(default)s)"
    parser.add_argument("--epochs", type=positive, default=6, metavar="N", help=default)
    parser.add_argument(
        "--batch",
        type=positive,
        metavar="N",
        help="pictures or windows per update (default: 128 pictures, 8 windows)",
    )
    parser.add_argument(
        "--accumulate",
        type=positive,
        metavar="N",
        help="parts of a batch, if the memory is too small for a whole one (default: as they fit)",
    )
    parser.add_argument("--seed", type=whole(0, 2**31), default=0, metavar="N", help=default)
    parser.add_argument("--device", help="cpu, cuda, cuda:1 (default: a GPU if available)")
    parser.add_argument("--resume", action="store_true", help="continue from the checkpoint in DIR")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder of the checkpoint "
        "(default: results/train/RECIPE, or train-transformer/RECIPE)",
    )


def run(options: argparse.Namespace) -> int:
    """Train, print the result and return the exit code."""
    from hpml.course.suites.convnext_train import train_network
    from hpml.course.training import RECIPES

    if options.recipe not in RECIPES:
        raise UsageError(
            object="RECIPE",
            expected=f"one of {', '.join(RECIPES)}",
            received=describe(options.recipe),
            remedy="Choose one of them.",
        )
    data = options.data or MODELS[options.model]
    if (data == "austen") != (options.model == "transformer"):
        fits = "austen" if options.model == "transformer" else "digits, tiny-imagenet or a folder"
        raise UsageError(
            object=f"--data of the {options.model}",
            expected=fits,
            received=describe(data),
            remedy="Leave --data out, or choose another --model.",
        )
    folder = "train" if options.model == "convnext" else "train-transformer"
    out: Path = options.out or results_folder() / folder / options.recipe
    shown = shown_path(out)
    chosen = {
        name: getattr(options, name)
        for name in ("epochs", "batch", "accumulate", "seed", "device", "resume")
    }
    try:
        result = train_network(options.recipe, data, out=out, progress=True, **chosen)
    except KeyboardInterrupt as interrupt:
        saved = (out / "checkpoint.pt").exists()
        advice = f"--resume continues from {shown}" if saved else "nothing was saved"
        print(f"hpml train: {f'interrupted {interrupt}'.strip()}; {advice}", file=sys.stderr)
        return 130
    if os.environ.get("RANK", "0") == "0":
        print(f"{result}\n\nCheckpoint: {shown}")
    return 0
