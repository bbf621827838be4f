"""What this run of a lab is: short or full, and with which compiler of PyTorch."""

from __future__ import annotations

from hpml.base.environment import flag


def quick() -> bool:
    """Return whether the labs should use small sizes: ``HPML_QUICK`` is set to a true value.

    >>> quick() in (True, False)
    True
    """
    return flag("HPML_QUICK")


def compiler_of_this_run() -> tuple[dict[str, str], str]:
    """Return options for `torch.compile` and a note about them.

    In a short run, or where Inductor cannot compile, the options select the backend ``aot_eager``.

    >>> options, note = compiler_of_this_run()
    >>> options in ({}, {"backend": "aot_eager"})
    True
    """
    from hpml.jit import why_not_inductor

    eager: dict[str, str] = {"backend": "aot_eager"}
    if quick():
        return eager, "a short run only records its graph and compiles nothing"
    if reason := why_not_inductor():
        return eager, f"it only records its graph and compiles nothing, because {reason}"
    return {}, "its default compiler, Inductor, generated C++ and compiled it"
