"""``yield from`` and generators that use others."""

from __future__ import annotations


def yield_from_everything():
    def inner():
        got = yield 1
        print("inner got", got)
        yield 2
        return "inner value"

    def outer():
        value = yield from inner()
        print(value)
        yield from [3, 4]
        yield from "ab"
        result = yield from ()
        return result

    g = outer()
    out = [next(g), g.send("hello")]
    return out + list(g)


def yield_from_throws():
    def inner():
        try:
            yield 1
        except KeyError:
            print("inner caught")
            yield "recovered"
        return "returned"

    def outer():
        try:
            value = yield from inner()
            yield value
        except ValueError as error:
            yield f"outer caught {error}"

    a = outer()
    next(a)
    first = [a.throw(KeyError("k")), *a]
    b = outer()
    next(b)
    return first, b.throw(ValueError("v"))


def yield_from_throw_ends_the_inner():
    def inner():
        try:
            yield 1
        except KeyError:
            return "from the handler"

    def outer():
        value = yield from inner()
        yield ("value", value)

    g = outer()
    next(g)
    return g.throw(KeyError()), list(g)


def yield_from_throw_into_a_list_iterator():
    def g():
        try:
            yield from [1, 2, 3]
        except KeyError:
            yield "caught outside"

    made = g()
    next(made)
    return made.throw(KeyError), list(made)


def yield_from_closes_the_inner():
    log = []

    def inner():
        try:
            yield 1
        finally:
            log.append("inner closed")

    def outer():
        try:
            yield from inner()
        finally:
            log.append("outer closed")

    g = outer()
    next(g)
    g.close()
    return log


def yield_from_a_class():
    class Source:
        def __iter__(self):
            self.sent = []
            return self

        def __next__(self):
            return "next"

        def send(self, value):
            self.sent.append(value)
            if value == "stop":
                raise StopIteration(self.sent)
            return value

    def g():
        result = yield from Source()
        yield result

    made = g()
    return next(made), made.send("a"), made.send("stop")
