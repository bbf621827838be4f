"""Generators: next, send, throw, close, return values, laziness."""

from __future__ import annotations


def exhausted_generator():
    def g():
        yield 1

    made = g()
    next(made)
    next(made, None)
    return next(made)


def throw_into_a_generator():
    def g():
        while True:
            try:
                got = yield "ready"
            except ValueError as error:
                got = yield f"caught {error}"
            print("got", got)

    made = g()
    next(made)
    return made.throw(ValueError("v")), made.send(1), made.throw(ValueError("w"))


def close_a_generator():
    log = []

    def g():
        try:
            yield 1
        except GeneratorExit:
            log.append("exit")
            raise
        finally:
            log.append("finally")

    made = g()
    next(made)
    made.close()
    made.close()
    unstarted = g()
    unstarted.close()
    return log, list(made), list(unstarted)


def stop_iteration_inside():
    def g():
        yield next(iter(()))

    return list(g())


def generator_that_is_running():
    def g():
        yield next(made)

    made = g()
    return next(made)


def renamed_generator():
    def numbers():
        yield 1

    numbers.__name__ = "renamed"
    numbers.__qualname__ = "somewhere.renamed"
    g = numbers()
    return g.__name__, g.__qualname__


def throw_while_the_generator_handles():
    def g():
        try:
            raise ValueError("inside")
        except ValueError:
            yield 1

    made = g()
    next(made)
    try:
        made.throw(KeyError("thrown"))
    except KeyError as error:
        return repr(error.__context__)
