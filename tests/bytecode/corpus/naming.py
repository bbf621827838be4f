"""Global, local and free variables: binding, closures, deletion, recursion."""

from __future__ import annotations

counter = 0


def globals_change():
    global counter, made_here
    counter = 0
    for _ in range(3):
        counter += 1
    made_here = counter * 2
    result = made_here
    del made_here
    return counter, result, "made_here" in globals()


def deleted_global():
    global never_there
    del never_there


def unbound_local():
    if counter < 0:
        late = 1
    return late


def closure_over_a_parameter():
    def outer(a, *b, c=3, **d):
        def inner():
            nonlocal a
            a += 1
            return a, b, c, d

        return inner

    f = outer(1, 2, k=4)
    return f(), f()


def cell_deleted():
    x = 1

    def show():
        return x

    before = show()
    del x
    try:
        show()
    except NameError as error:
        print(type(error).__name__, error, error.name)
    return before, x


def deleted_free_variable():
    x = 1

    def forget():
        nonlocal x
        del x
        del x

    forget()


def recursion():
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    def ackermann(m, n):
        if m == 0:
            return n + 1
        return ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))

    return fib(12), ackermann(2, 2)


def recursion_without_end_is_caught():
    depth = 0

    def down():
        nonlocal depth
        depth += 1
        down()

    try:
        down()
    except RecursionError as error:
        return depth > 500, type(error).__name__
    return "no end"


def recursion_in_a_handler_without_end():
    def again():
        try:
            1 / 0
        except ZeroDivisionError:
            again()

    try:
        again()
    except RecursionError as error:
        inner = error.__context__
        return type(inner).__name__, type(inner.__context__).__name__
