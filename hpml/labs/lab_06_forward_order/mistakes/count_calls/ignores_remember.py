"""It counts the same with and without memory. `remember` says which of the two is asked for."""


def count_calls(parents: dict[str, list[str]], output: str, remember: bool) -> int:
    often = {}
    for name, above in parents.items():
        often[name] = 1 + sum(often[parent] for parent in above) if above else 0
    return often[output]
