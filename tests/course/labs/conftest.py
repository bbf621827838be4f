"""What tests of several labs share."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture
def quick_to_collect() -> Iterator[None]:
    """Set aside what the tests' process holds: some exercises collect garbage before each case."""
    gc.freeze()
    yield
    gc.unfreeze()
