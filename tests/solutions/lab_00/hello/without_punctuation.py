def hello(name: str) -> str:
    return "Hello " + name
