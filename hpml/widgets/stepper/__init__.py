"""The stepper: any function of yours, executed by the stack machine, to be stepped through.

Read it in the order in which a call becomes a page: `code` (what ran, and its source), `events`
(what is seen at each step, in the words of `captions`), `layout` (what has a place), `template` and
`keyframes`; `stepper` is what a notebook calls.
"""

from __future__ import annotations
