"""Wrong answers to `hello`: each docstring is the diagnosis."""


def always_ada(name):
    """It always greets Ada. The example is only one of the calls that are tried; the name is in
    `name`."""
    return "Hello, Ada!"


def capitals(name):
    """You made the name tidy: spaces cut off, or capitals changed. A greeting takes the name as it
    is."""
    return f"Hello, {name.title()}!"


def prints(name):
    """It returned nothing. Is there a `return`? Printing is not returning: printed text is shown to
    you, a returned value goes to the caller."""
    print(f"Hello, {name}!")


def tidied(name):
    """You made the name tidy: spaces cut off, or capitals changed. A greeting takes the name as it
    is."""
    return f"Hello, {name.strip()}!"


def without_f(name):
    """Without the `f` before the quotes the braces are two signs like any other: nothing is put
    in."""
    return "Hello, {name}!"


def without_punctuation(name):
    """The words are right; the comma, the space or the exclamation mark is not."""
    return "Hello " + name
