"""Exception groups and ``except*``."""

from __future__ import annotations


def exception_groups():
    log = []

    def f(*errors):
        try:
            raise ExceptionGroup("group", errors)
        except* ValueError as group:
            log.append(("value", [str(e) for e in group.exceptions]))
        except* (TypeError, KeyError) as group:
            log.append(("type", len(group.exceptions)))
        else:
            log.append("never")
        finally:
            log.append("finally")

    f(ValueError(1), TypeError(2), ValueError(3))
    f(KeyError(4))
    return log


def exception_group_whose_handler_raises():
    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2), KeyError(3)])
    except* ValueError:
        raise OSError("new")
    except* TypeError:
        raise


def exception_group_without_exception():
    try:
        x = 1
    except* ValueError:
        x = 2
    else:
        x += 10
    return x


def exception_group_in_except_star():
    try:
        raise ValueError
    except* ExceptionGroup:
        pass


def single_exception_as_a_group():
    try:
        raise ValueError(1)
    except* ValueError as group:
        result = repr(group), group.args
    return result
