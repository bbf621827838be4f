# fmt: off
"""Statements over several lines that fail in the middle; their layout is the case."""

from __future__ import annotations


def for_header_over_lines():
    for x in (
        10 // n
        for n in (
            1,
            0,
        )
    ):
        print(x)


def with_header_over_lines():
    with (
        open("/surely/not/there")
        as file
    ):
        return file


def finally_line():
    try:
        1 / 0
    finally:
        print("passing",
              "through")


def match_line():
    match {"a": 1}:
        case {"b": 2}:
            return 1
        case {"a": int(x)} if (
            x // 0
        ):
            return 2
