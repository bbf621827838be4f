"""A tree of calls as a picture in the page: an icicle or a sunburst, in which one can go about."""

from __future__ import annotations

from hpml.profiling.icicle.page import called, icicle

__all__ = ["called", "icicle"]
