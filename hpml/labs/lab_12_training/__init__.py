"""Lab 12: training a ConvNeXt faster, and as well."""

from __future__ import annotations
