"""The errors of export, runtimes and quantisation, and what each package is needed for."""

from __future__ import annotations

import importlib
from typing import Any

from torch import nn

from hpml.base.errors import HpmlError, describe


class RuntimesError(HpmlError):
    """A model cannot be exported, run elsewhere or quantised. The root of the family."""


class NotInstalledError(RuntimesError, ImportError):
    """A runtime is not there; the message says how to install it."""


class ExportError(RuntimesError):
    """A model has a layer that cannot be exported."""


class InputError(RuntimesError, ValueError):
    """An exported model was given another shape, dtype or number of inputs."""


def check_module(caller: str, model: object) -> None:
    """Refuse what is no module, such as a function."""
    if not isinstance(model, nn.Module):
        raise RuntimesError(
            f"{caller} expected a torch.nn.Module, received {describe(model)}: put the function "
            "into the forward of a module"
        )


def require(*modules: str) -> list[Any]:
    """Import optional modules; the first that is missing is refused with the way to install it."""
    found = []
    for module in modules:
        try:
            found.append(importlib.import_module(module))
        except ImportError as error:
            package = module.partition(".")[0]
            raise NotInstalledError(
                f"{package} expected to be installed, received {error}: "
                f"pip install -c constraints.txt {package}, or pip install '.[runtimes]' for all"
            ) from None
    return found
