"""`b = a + a` asks for `a` twice, and without memory `a` is executed each time. Are the parents
put into a set?"""


def count_calls(parents: dict[str, list[str]], output: str, remember: bool) -> int:
    often, needed = {}, {output}
    for name, above in parents.items():
        often[name] = 1 + sum(often[parent] for parent in set(above)) if above else 0
    if not remember:
        return often[output]
    for name in reversed(parents):
        if name in needed:
            needed.update(parents[name])
    return sum(1 for name in needed if parents[name])
