"""Lab 00: how a lab works, and a first honest measurement."""

from __future__ import annotations

from hpml.labs.lab_00_start_here.drift import in_order, simulate_drift
