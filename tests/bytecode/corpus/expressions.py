"""Arithmetic, comparisons, subscripts, f-strings, unpacking and displays."""

from __future__ import annotations


class Matrix:
    def __init__(self, *rows):
        self.rows = rows

    def __matmul__(self, other):
        return Matrix(*(row + other.rows[0] for row in self.rows))

    def __imatmul__(self, other):
        self.rows += other.rows
        return self

    def __repr__(self):
        return f"Matrix{self.rows}"


class Grumpy:
    def __bool__(self):
        raise ValueError("neither true nor false")

    def __eq__(self, other):
        return NotImplemented

    def __lt__(self, other):
        return "smaller"

    def __add__(self, other):
        raise KeyError("no sums")

    __hash__ = None


def every_binary_operator():
    a, b = 27, 4
    return (a + b, a - b, a * b, a / b, a // b, a % b, a**b, a << b, a >> b, a & b, a | b, a ^ b)


def every_augmented_operator():
    a = 1000
    a += 7
    a -= 3
    a *= 5
    a //= 3
    a %= 997
    a **= 2
    a <<= 3
    a >>= 1
    a &= 0xFFFF
    a |= 0x10
    a ^= 0x5
    b = 10.0
    b /= 4
    return a, b


def matrix_product():
    m = Matrix((1,), (2,))
    n = m @ Matrix((3,))
    m @= Matrix((4,))
    return repr(m), repr(n)


def unary_operators():
    x = 5
    return -x, +x, ~x, not x, not -x, --x, +True


def every_comparison():
    a, b = 3, 4
    return a < b, a <= b, a == b, a != b, a > b, a >= b, a is b, a is not b, None is None


def truth_that_raises():
    if Grumpy():
        return "never"
    return "never either"


def not_of_truth_that_raises():
    return not Grumpy()


def slices():
    a = list(range(10))
    a[2:4] = ["x", "y", "z"]
    b = a[::-2]
    del a[1:3]
    a[::4] = [0] * len(a[::4])
    del a[-1]
    step = 2
    a[step:step] = ["in between"]
    return a, b, a[1:], a[:-1], a[:], a[1:8:step], "hello"[1:3], (1, 2, 3)[-2:]


def string_formatting():
    name, n, pi = "Ada", 42, 3.14159
    width, places = 10, 2
    return (
        f"{name}",
        f"{name!r:>{width}}|{n:05d}|{pi:.{places}f}|{n:#x}|{n=}|{pi = :8.3f}",
        f"{name!s} {name!a}{{literal}}",
        f"{'nested ' + f'{n + 1}'}",
        f"{'é'!a}{[1, 2]}{None}",
        "%s-%03d" % (name, n),
        "{0}{x}".format(1, x=2),
    )


def displays():
    a = [1, *range(3), *"ab"]
    b = (*a, 9)
    c = {*b, 1}
    d = {"x": 1, **{"y": 2, "x": 3}, "z": 4}
    return a, b, sorted(map(str, c)), d, [], (), {}, set(), {1, 2} | {3}, [*[]], (*(),), {**{}}


def star_of_something_not_iterable():
    return [1, *5]


def double_star_of_something_not_a_mapping():
    return {"a": 1, **[1, 2]}


def unpacking():
    a, b = 1, 2
    a, b = b, a
    (c, d), [e, f] = (3, 4), "xy"
    first, *middle, last = range(6)
    *start, end = "abc"
    head, *rest = [1]
    for i, (j, *k) in [(1, (2, 3, 4)), (5, "ab")]:
        print(i, j, k)
    x = y = z = []
    [q] = {7}
    return a, b, c, d, e, f, first, middle, last, start, end, head, rest, x is y is z, q


def unpacking_too_few_with_a_star():
    a, b, *c, d = "xy"
    return a, b, c, d


def unpacking_stops_early():
    source = iter(range(100))
    try:
        a, b = source
    except ValueError as error:
        return str(error), next(source)
    return a, b


def error_from_a_special_method():
    return (1, 2, Grumpy() + 1)


def many_constants_need_extended_arguments():
    values = {}
    exec("def wide(): return [" + ", ".join(f"'{n}'+str({n})" for n in range(300)) + "]", values)
    return values["wide"]()


def assert_without_message():
    assert []


def lambdas():
    add = lambda a, b=10, *c, d=2, **e: (a, b, c, d, e)
    return add(1), add(1, 2, 3, d=4, k=5), (lambda: (yield))().__class__.__name__
