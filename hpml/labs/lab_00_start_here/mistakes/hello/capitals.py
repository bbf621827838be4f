"""You made the name tidy: spaces cut off, or capitals changed. A greeting takes the name as it is."""


def hello(name):
    return f"Hello, {name.title()}!"
