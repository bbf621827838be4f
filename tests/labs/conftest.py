"""What tests of several labs share."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def quick_to_collect() -> Iterator[None]:
    """Set aside what the tests' process holds: some exercises collect garbage before each case."""
    gc.freeze()
    yield
    gc.unfreeze()
