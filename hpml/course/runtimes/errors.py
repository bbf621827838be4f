"""The exceptions of `hpml.course.runtimes` and the checks that raise them."""

from __future__ import annotations

from typing import Any

from torch import nn

from hpml.base.errors import HpmlError, describe
from hpml.base.optional import NOT_INSTALLED, import_optional, why_unavailable
from hpml.course.packages import install_command, too_old


class RuntimesError(HpmlError):
    """A model cannot be exported, run in a runtime or quantised."""


class NotInstalledError(RuntimesError, ImportError):
    """A runtime is not installed, or fails when it is imported; the message says which."""


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
    """Import and return optional modules, or raise an error that says what is wrong."""
    imported = []
    for module in modules:
        found = import_optional(module)
        package = module.partition(".")[0]
        if isinstance(found, str):
            missing, reason = found == NOT_INSTALLED, too_old(package)
            raise NotInstalledError(
                f"{package} {reason}."
                if reason
                else f"{package} is not installed."
                if missing
                else why_unavailable(module),
                object=package,
                expected="a package that can be imported",
                received=reason or found,
                remedy=f"Run `{install_command(package)}`." if missing else "",
            )
        imported.append(found)
    return imported
