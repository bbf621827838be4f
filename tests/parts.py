"""The parts of an error, which a test asserts in place of its English.

>>> from hpml.base.errors import HpmlError
>>> with raises(HpmlError, object="n", received="1"):
...     raise HpmlError(object="n", expected="at least 2", received="1", remedy="Pass more.")
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest

from hpml.base.errors import HpmlError
from hpml.cli import _parser

E = TypeVar("E", bound=HpmlError)
Part = str | tuple[str, ...]


def check_parts(
    error: HpmlError, *, object: str, expected: Part = "", received: Part = "", remedy: Part = ""
) -> None:
    """Assert the parts of `error`: `object` is the text, each of the others contains its texts.

    Every error of ours has an object and says what to do; at least one other part is named.
    """
    assert error.object == object
    named = {"expected": expected, "received": received, "remedy": remedy}
    assert any(named.values())
    for name, texts in named.items():
        part = getattr(error, name)
        for text in (texts,) if isinstance(texts, str) else texts:
            assert text in part, (name, text, part)
    assert error.remedy


def run_command(*words: str) -> int:
    """Run a command of ``hpml`` as the command line does, but let its error leave."""
    options = _parser().parse_args(words)
    return int(options.run(options))


@contextmanager
def raises(
    kind: type[E], *, object: str, expected: Part = "", received: Part = "", remedy: Part = ""
) -> Iterator[pytest.ExceptionInfo[E]]:
    """Assert that the block raises an error of `kind` with these parts."""
    with pytest.raises(kind) as caught:
        yield caught
    check_parts(caught.value, object=object, expected=expected, received=received, remedy=remedy)
