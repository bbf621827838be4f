"""Exceptions: raising, handling, chaining and ``finally``."""

from __future__ import annotations

import sys


def uncaught_in_a_nested_call():
    def one(n):
        return two(n) + 1

    def two(n):
        values = [1, 2, 3]
        return values[n]

    return one(7)


def raise_from_something_else():
    raise ValueError("x") from 3


def raise_while_handling_three_deep():
    try:
        try:
            try:
                raise ValueError(1)
            except ValueError:
                raise KeyError(2)
        except KeyError:
            raise IndexError(3)
    except IndexError as error:
        context = []
        while error is not None:
            context.append(repr(error))
            error = error.__context__
        return context


def bare_raise_without_exception():
    raise


def exception_info_is_seen():
    log = [sys.exc_info()[0]]
    try:
        raise ValueError("seen")
    except ValueError:
        log.append(sys.exc_info()[0])
        try:
            raise KeyError
        except KeyError:
            log.append(sys.exc_info()[0])
        log.append(sys.exc_info()[0])
    log.append(sys.exc_info()[0])
    return [kind and kind.__name__ for kind in log]


def handler_that_is_no_class():
    try:
        raise ValueError
    except "text":
        return "never"


def handler_expression_fails():
    try:
        raise ValueError("first")
    except undefined_handler:
        return "never"


def exception_from_c_code_keeps_its_context():
    try:
        raise ValueError("a")
    except ValueError:
        try:
            list(map(int, ["1", "x"]))
        except ValueError as error:
            return repr(error.__context__)
