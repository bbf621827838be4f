def dead_nodes(edges, outputs):
    live = {}

    def is_live(name):
        if name not in live:
            targets = [is_live(target) for target in edges.get(name, [])]
            live[name] = name in outputs or any(targets)
        return live[name]

    for name in edges:
        is_live(name)
    return frozenset(name for name, alive in live.items() if not alive)
