SAYS = {"First run both cells unchanged.": "what to do before writing the function"}


def prints_it(name):
    """`hello(name: str) -> str` returns a greeting"""
    print(f"Hello, {name}!")


def greets_ada(name):
    """for `"Ada"` it is `"Hello, Ada!"`"""
    return "Hello, Ada!"


def without_the_comma(name):
    """with the comma and the exclamation mark."""
    return f"Hello {name}!"


def without_the_exclamation_mark(name):
    """with the comma and the exclamation mark."""
    return f"Hello, {name}"


def with_capitals(name):
    """for `"Ada"` it is `"Hello, Ada!"`"""
    return f"Hello, {name.title()}!"


def without_spaces(name):
    """for `"Ada"` it is `"Hello, Ada!"`"""
    return f"Hello, {name.strip()}!"


def formats_twice(name):
    """for `"Ada"` it is `"Hello, Ada!"`"""
    return ("Hello, " + name + "!").format(name=name)


def formats_with_percent(name):
    """for `"Ada"` it is `"Hello, Ada!"`"""
    return ("Hello, " + name + "!%s") % ""


def someone_without_a_name(name):
    """for `"Ada"` it is `"Hello, Ada!"`"""
    return f"Hello, {name or 'you'}!"
