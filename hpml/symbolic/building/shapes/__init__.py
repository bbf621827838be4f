"""What is known of a result before it is computed: rules, runs of a copy, what is remembered."""

from __future__ import annotations
