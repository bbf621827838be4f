def topological_order(edges):
    nodes = set(edges)
    nodes.update(*edges.values())
    parents = dict.fromkeys(nodes, 0)
    for name in edges:
        for target in set(edges[name]):
            parents[target] += 1
    order, level = [], sorted(name for name in nodes if not parents[name])
    while level:
        order.extend(level)
        following = []
        for name in level:
            for target in set(edges.get(name, ())):
                parents[target] -= 1
                if not parents[target]:
                    following.append(target)
        level = following
    if len(order) != len(nodes):
        raise ValueError
    return tuple(order)
