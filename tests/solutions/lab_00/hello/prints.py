def hello(name: str) -> str:
    print(f"Hello, {name}!")
