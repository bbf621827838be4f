"""It counts the questions. Inputs are asked for too, but they are looked up: nothing is executed."""


def count_calls(parents: dict[str, list[str]], output: str, remember: bool) -> int:
    asked = {}
    for name, above in parents.items():
        asked[name] = 1 + sum(asked[parent] for parent in above)
    if not remember:
        return asked[output]
    needed = {output}
    for name in reversed(parents):
        if name in needed:
            needed.update(parents[name])
    return len(needed)
