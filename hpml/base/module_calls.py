"""Let a measurement run module calls as PyTorch made them.

While symbolic values are alive, `hpml.symbolic` notices each call of a module. It puts here how to
suspend that; a measurement that does not know the package does so with
``with module_calls.suspended():``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

suspended: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext
