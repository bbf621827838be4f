# fmt: off
"""Statements over several lines that fail in the middle; their layout is the case."""

from __future__ import annotations


def division_in_the_middle():
    numbers = [1, 0]
    return (
        numbers[0]
        + numbers[0]
        // numbers[1]
        + 4
    )


def argument_in_the_middle():
    return max(
        1,
        int(
            "x"
        ),
        3,
    )


def raise_over_lines():
    raise ValueError(
        "one",
        "two"
    )


def attribute_in_a_chain():
    return (
        "text"
        .upper()
        .nothing()
        .lower()
    )


def two_statements_on_a_line():
    a = 1; b = a // 0; return b


def condition_over_lines():
    x = None
    if (
        x is None
        and x
        .missing
    ):
        return 1


def call_over_lines_that_is_stepped_into():
    def inner(
        a,
        b=2,
    ):
        return (a
                / b)

    return [
        inner(1),
        inner(
            1,
            0
        ),
    ]


def for_header_over_lines():
    for x in (
        10 // n
        for n in (
            1,
            0,
        )
    ):
        print(x)


def dictionary_over_lines():
    return {
        "a": 1,
        "b": [][
            0
        ],
    }


def comparison_in_a_loop_with_a_late_error():
    total = 0
    for value in [1, 2, "three"]: total += \
        value
    return total


def with_header_over_lines():
    with (
        open("/surely/not/there")
        as file
    ):
        return file


def lambda_on_its_own_line():
    f = (
        lambda n:
        1 //
        n
    )
    return f(
        0)


def error_in_a_default():
    def f(
        a=1,
        b=[][1],
    ):
        return a, b

    return f


def error_in_a_decorator():
    @(
        undefined_decorator
    )
    def f():
        pass

    return f


def error_in_an_annotation_is_not_one() -> undefined_name:
    x: also_undefined = 1
    return x


def finally_line():
    try:
        1 / 0
    finally:
        print("passing",
              "through")


def assertion_over_lines():
    assert (
        1 + 1 ==
        3
    ), (
        "no"
    )


def match_line():
    match {"a": 1}:
        case {"b": 2}:
            return 1
        case {"a": int(x)} if (
            x // 0
        ):
            return 2
