"""The words are right; the comma, the space or the exclamation mark is not."""


def hello(name: str) -> str:
    return "Hello " + name
