"""That is every operation of the graph once. Which of them does `output` need, and how often is
each executed where nobody remembers?"""


def count_calls(parents: dict[str, list[str]], output: str, remember: bool) -> int:
    return sum(1 for name in parents if parents[name])
