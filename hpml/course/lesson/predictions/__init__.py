"""Predictions: a question before each measurement, a locked answer, and the calibration."""

from __future__ import annotations
