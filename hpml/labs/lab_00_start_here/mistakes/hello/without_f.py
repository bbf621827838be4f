"""Without the `f` before the quotes the braces are two signs like any other: nothing is put in."""


def hello(name):
    return "Hello, {name}!"
