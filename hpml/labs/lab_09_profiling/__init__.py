"""Lab 09: where the time goes, and what asking costs."""

from __future__ import annotations

from hpml.labs.lab_09_profiling.network import beside_the_slide, learning, profile_command
from hpml.labs.lab_09_profiling.profilers import kept_bytes, library_profilers
from hpml.labs.lab_09_profiling.programs import PROGRAMS, functions_of, if_free
from hpml.labs.lab_09_profiling.tools import tools

__all__ = [
    "PROGRAMS",
    "beside_the_slide",
    "functions_of",
    "if_free",
    "kept_bytes",
    "learning",
    "library_profilers",
    "profile_command",
    "tools",
]
