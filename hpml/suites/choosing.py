"""Which contenders are measured: those asked for, in the suite's order, if they are there."""

from __future__ import annotations

from collections.abc import Sequence

from hpml.suites import peer
from hpml.suites.errors import SuiteError


def choose(
    wanted: Sequence[str] | None,
    known: Sequence[str],
    *,
    usual: Sequence[str] | None = None,
    always: Sequence[str] = (),
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the contenders to measure, and notes on those that are missing."""
    unknown = [name for name in wanted or () if name not in known]
    if unknown or (wanted is not None and not [*wanted, *always]):
        raise SuiteError(
            f"contenders: expected some of {', '.join(known)}, got {', '.join(unknown) or 'none'}."
        )
    asked = {*((known if usual is None else usual) if wanted is None else wanted), *always}
    notes: tuple[str, ...] = ()
    missing = peer.how_to_install()
    if missing is not None and peer.NAME in asked:
        if wanted is not None:
            raise SuiteError(f"contenders: {peer.NAME} cannot be measured: {missing}.")
        asked.discard(peer.NAME)
        notes = (f"{peer.NAME} is missing: {missing}.",)
    return tuple(name for name in known if name in asked), notes
