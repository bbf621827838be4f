"""It follows references to objects that were not given. Only those in `objects` count: an object
refers to its class too, and every class is part of a cycle."""

import gc


def find_cycle(objects: list) -> list:
    done = set()
    for start in objects:
        way = {}
        if id(start) not in done:
            way[id(start)] = (start, iter(gc.get_referents(start)))
        while way:
            here = next(reversed(way))
            for after in way[here][1]:
                if id(after) in way:
                    names = list(way)
                    return [way[name][0] for name in names[names.index(id(after)) :]]
                if id(after) not in done:
                    way[id(after)] = (after, iter(gc.get_referents(after)))
                    break
            else:
                done.add(here)
                del way[here]
    return []
