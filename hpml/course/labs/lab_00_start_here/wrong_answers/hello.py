"""Wrong answers to `hello`: each docstring is the diagnosis."""


def prints(name):
    """It returned nothing. Is there a `return`? Printing is not returning: printed text is shown to
    you, a returned value goes to the caller."""
    print(f"Hello, {name}!")


def tidied(name):
    """You tidied the name: you removed spaces or changed capitals. Put the name into the greeting
    unchanged."""
    return f"Hello, {name.strip()}!"


def without_f(name):
    """Without the `f` before the quotes, braces are ordinary characters: no value is
    inserted."""
    return "Hello, {name}!"


def the_example(name):
    """It greets Ada, whoever is to be greeted: the text of the example is right for one name only.
    Put `name` in its place."""
    return "Hello, Ada!"
