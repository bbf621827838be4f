from functools import cache


def count_calls(parents, output, remember):
    @cache
    def often(name):
        return bool(parents[name]) + sum(map(often, parents[name]))

    @cache
    def needed(name):
        return frozenset([name] if parents[name] else []).union(*map(needed, parents[name]))

    return len(needed(output)) if remember else int(often(output))
