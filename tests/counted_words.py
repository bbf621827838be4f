"""Ints whose comparisons are counted: they stand for the time that looking up takes."""

from __future__ import annotations


class CountedWord(int):
    """An int that counts how often it is compared, in `compared` of its class."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        CountedWord.compared += 1
        return int(self) == int(other)  # type: ignore[call-overload,no-any-return]

    def __hash__(self) -> int:
        return int(self)
