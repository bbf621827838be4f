"""The switches of the builder are after each test what they were before it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hpml.symbolic import config


@pytest.fixture(autouse=True)
def _switches() -> Iterator[None]:
    before = {name: value for name, value in vars(config).items() if name.isupper()}
    yield
    vars(config).update(before)
