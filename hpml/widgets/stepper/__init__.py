"""The stepper: an animation of a function, executed by the stack machine.

In the order in which a trace becomes a page: `code` (code objects and sources), `events` (the
states shown, with the sentences of `captions`), `layout`, `template` and `keyframes`; `stepper` is
the entry point.
"""

from __future__ import annotations
