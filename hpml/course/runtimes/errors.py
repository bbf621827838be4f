"""The exceptions of `hpml.course.runtimes` and the checks that raise them."""

from __future__ import annotations

import importlib
from typing import Any

from torch import nn

from hpml.base.errors import HpmlError, describe


class RuntimesError(HpmlError):
    """A model cannot be exported, run in a runtime or quantised."""


class NotInstalledError(RuntimesError, ImportError):
    """A runtime is not installed; the message says how to install it."""


class ExportError(RuntimesError):
    """A model has a layer that cannot be exported."""


class InputError(RuntimesError, ValueError):
    """An exported model was called with another shape, dtype or number of inputs."""


def check_module(caller: str, model: object) -> None:
    """Raise an error unless `model` is a module."""
    if not isinstance(model, nn.Module):
        raise RuntimesError(
            object=f"model of {caller}",
            expected="a torch.nn.Module",
            received=describe(model),
            remedy="Put a function into the forward method of a module.",
        )


def require(*modules: str) -> list[Any]:
    """Import and return optional modules, or raise an error that says how to install them."""
    imported = []
    for module in modules:
        try:
            imported.append(importlib.import_module(module))
        except ImportError as error:
            package = module.partition(".")[0]
            raise NotInstalledError(
                f"{package} is not installed ({error}).",
                object=package,
                expected="an installed package",
                received=str(error),
                remedy=f"Run pip install -c constraints.txt {package}, or pip install "
                "'.[runtimes]' for all runtimes.",
            ) from None
    return imported
