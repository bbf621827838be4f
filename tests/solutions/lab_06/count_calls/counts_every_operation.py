def count_calls(parents: dict[str, list[str]], output: str, remember: bool) -> int:
    return sum(1 for name in parents if parents[name])
