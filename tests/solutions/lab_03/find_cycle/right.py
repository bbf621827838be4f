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
                    names = list(way)
                    return [known[name] for name in names[names.index(id(after)) :]]
                if id(after) in known and id(after) not in done:
                    way[id(after)] = iter(gc.get_referents(after))
                    break
            else:
                done.add(here)
                del way[here]
    return []
