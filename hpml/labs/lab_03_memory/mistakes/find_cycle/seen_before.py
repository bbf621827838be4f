"""Two objects may refer to the same third one, and no cycle comes of it. Met before is not enough:
the object must be on the way that led here."""

import gc


def find_cycle(objects: list) -> list:
    known = {id(each): each for each in objects}
    for start in known:
        way, waiting = [], [start]
        while waiting:
            here = waiting.pop()
            if here in way:
                return [known[name] for name in way[way.index(here) :]]
            way.append(here)
            waiting += [id(after) for after in gc.get_referents(known[here]) if id(after) in known]
    return []
