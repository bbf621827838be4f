"""It returned nothing. Is there a `return`? Printing is not returning: what is printed is seen by
you, what is returned by whoever called."""


def hello(name: str) -> str:
    print(f"Hello, {name}!")
