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


def raise_a_stored_exception_twice():
    stored = ValueError("stored")
    for _ in range(2):
        try:
            raise stored
        except ValueError as error:
            print(error is stored)
    raise stored


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


def exception_classes_of_our_own():
    class Base(Exception):
        pass

    class Child(Base):
        def __init__(self, a, b):
            super().__init__(a)
            self.b = b

        def __str__(self):
            return f"child {self.args} {self.b}"

    try:
        raise Child(1, b=2)
    except Base as error:
        print(error, error.b)
    raise Child(3, 4)


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


def handlers_by_tuple_and_base():
    caught = []
    for error in (KeyError("k"), OSError(1, "os"), StopIteration(3), GeneratorExit()):
        try:
            raise error
        except (LookupError, OSError) as e:
            caught.append(("lookup or os", repr(e)))
        except Exception as e:
            caught.append(("exception", repr(e)))
        except BaseException as e:
            caught.append(("base", repr(e)))
    return caught


def system_exit():
    sys.exit(3)


def loop_of_retries():
    tries = []
    while True:
        try:
            tries.append(len(tries))
            if len(tries) < 4:
                raise ConnectionError(len(tries))
            return tries
        except ConnectionError:
            continue
        finally:
            tries.append("f")


def generators_in_handlers():
    def g():
        try:
            yield sys.exc_info()[0]
            raise KeyError("inner")
        except KeyError:
            yield sys.exc_info()[0].__name__

    try:
        raise ValueError("outer")
    except ValueError:
        found = [x if isinstance(x, str) else x.__name__ for x in g()]
    return found


def exception_from_c_code_keeps_its_context():
    try:
        raise ValueError("a")
    except ValueError:
        try:
            list(map(int, ["1", "x"]))
        except ValueError as error:
            return repr(error.__context__)


def assertion_in_a_handler():
    try:
        raise ValueError("a")
    except ValueError:
        assert False, "b"
