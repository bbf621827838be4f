"""It looks up every value in edges. One that stands only among those that read has no entry there:
edges.get(value, []) finds none."""


def loop_invariant(edges, varying):
    reached, todo = set(varying), list(varying)
    while todo:
        for reader in edges[todo.pop()]:
            if reader not in reached:
                reached.add(reader)
                todo.append(reader)
    return {*edges, *(reader for readers in edges.values() for reader in readers)} - reached
