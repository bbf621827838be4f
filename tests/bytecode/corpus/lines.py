# fmt: off
"""Statements over several lines that fail in the middle; their layout is the case."""

from __future__ import annotations

import contextlib
import functools
import json
import traceback


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


def report_inside_a_handler():
    def fail(n):
        return 1 // n

    try:
        fail(0)
    except ZeroDivisionError:
        text = traceback.format_exc().splitlines()
    return [line for line in text if "File" not in line or "lines.py" in line]


def entries_of_an_exception_that_is_raised_twice():
    stored = ValueError("again")
    counts = []
    for _ in range(2):
        try:
            raise stored
        except ValueError as error:
            counts.append(len(traceback.extract_tb(error.__traceback__)))
    return counts


def lines_of_a_reraised_exception():
    def fail(n):
        try:
            return [1][n]
        finally:
            n = 0

    def again(n):
        try:
            return fail(n)
        except IndexError:
            n = 1
            raise

    try:
        again(3)
    except IndexError as error:
        return [(entry.name, entry.lineno) for entry in traceback.extract_tb(error.__traceback__)]


def lines_through_code_of_a_library():
    def fail(n):
        return 1 // n

    def steps():
        with contextlib.suppress(KeyError):
            yield 1
            fail(0)

    found = []
    for call in (
        lambda: sorted([1, 0], key=fail),
        lambda: list(map(fail, [0])),
        lambda: list(steps()),
        lambda: functools.reduce(lambda a, b: fail(b), [1, 0]),
        lambda: json.loads("[1, }"),
    ):
        try:
            call()
        except (ZeroDivisionError, ValueError) as error:
            entries = traceback.extract_tb(error.__traceback__)
            found.append([(entry.name, entry.lineno) for entry in entries])
    return found


def exit_gets_the_traceback():
    class Manager:
        def __enter__(self):
            return self

        def __exit__(self, kind, error, entries):
            print(kind, entries is error.__traceback__, entries.tb_lineno)
            return True

    with Manager():
        raise KeyError("inside")


def exception_thrown_into_a_generator():
    def numbers():
        try:
            yield 1
        except ValueError as error:
            yield [entry.name for entry in traceback.extract_tb(error.__traceback__)]
        yield 3

    generator = numbers()
    next(generator)
    found = [generator.throw(ValueError("thrown"))]
    try:
        generator.throw(KeyError("out"))
    except KeyError as error:
        found.append([entry.name for entry in traceback.extract_tb(error.__traceback__)])
    return found


def variables_of_the_frames_of_a_traceback():
    def fail(n):
        kept = [n]
        return kept[n]

    try:
        fail(5)
    except IndexError as error:
        frame = error.__traceback__.tb_next.tb_frame
        return frame.f_code.co_name, frame.f_locals
