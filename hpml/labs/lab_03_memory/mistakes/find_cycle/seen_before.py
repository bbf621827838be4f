"""Two objects may refer to the same third one, and no cycle comes of it. Met before is not enough:
the object must be on the way that led here."""

import gc


def find_cycle(objects: list) -> list:
    known = {id(each): each for each in objects}
    begun = set()
    for start in known:
        met, waiting = {}, [] if start in begun else [start]
        while waiting:
            here = waiting.pop()
            if here in met:
                names = list(met)
                return [known[name] for name in names[names.index(here) :]]
            met[here] = True
            waiting += [id(after) for after in gc.get_referents(known[here]) if id(after) in known]
        begun.update(met)
    return []
