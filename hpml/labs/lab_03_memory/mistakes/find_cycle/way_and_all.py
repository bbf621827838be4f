"""The way to the cycle is part of the answer. The cycle begins at the object that was met again."""

import gc


def find_cycle(objects: list) -> list:
    known = {id(each): each for each in objects}
    done = set()
    for start in known:
        way = {}
        if start not in done:
            way[start] = iter(gc.get_referents(known[start]))
        while way:
            here = next(reversed(way))
            for after in way[here]:
                if id(after) in way:
                    return [known[name] for name in way]
                if id(after) in known and id(after) not in done:
                    way[id(after)] = iter(gc.get_referents(after))
                    break
            else:
                done.add(here)
                del way[here]
    return []
