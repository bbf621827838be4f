"""Calls with every form of argument, and functions with every form of parameter."""

from __future__ import annotations


def show(*args, **keywords):
    return args, keywords


def positional_only(a, b=2, /, c=3, *, d, e=5):
    return a, b, c, d, e


def call_forms():
    args, more, keywords = [1, 2], (3,), {"x": 1}
    return (
        show(),
        show(1, 2),
        show(1, b=2),
        show(*args),
        show(**keywords),
        show(*args, **keywords),
        show(0, *args, 9, *more, k=1, **keywords, z=2),
        show(*"ab", *range(2)),
        show(**{"a": 1}, **{"b": 2}),
    )


def function_attributes():
    def f(a: int, /, b: "str" = "b", *c: float, d: list = (), **e: dict) -> bool:
        """Say nothing."""

    f.mark = 1
    return (
        f.__name__,
        f.__qualname__,
        f.__doc__,
        f.__defaults__,
        f.__kwdefaults__,
        f.__annotations__,
        f.__dict__,
        f.__module__.rpartition(".")[2],
        f.__code__.co_varnames,
    )


def errors_of_arguments():
    errors = []
    for call in (
        lambda: positional_only(),
        lambda: positional_only(1),
        lambda: positional_only(1, 2, 3, 4, d=1),
        lambda: positional_only(a=1, d=1),
        lambda: positional_only(1, d=1, z=2),
        lambda: positional_only(1, 2, 3, c=3, d=1),
        lambda: (lambda x: x)(1, x=2),
        lambda: show(**{1: 2}),
        lambda: show(*3),
        lambda: show(**3),
        lambda: show(**{"a": 1}, **{"a": 2}),
        lambda: show(a=1, **{"a": 2}),
        lambda: show.__name__(),
        lambda: len(),
        lambda: None.missing(),
    ):
        try:
            call()
        except Exception as error:
            errors.append((type(error).__name__, str(error)))
    return errors
