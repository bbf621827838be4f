"""Each object on the way is a function call that has not returned, and Python allows about a
thousand of them. Keep the way in a list of your own."""

import gc


def find_cycle(objects: list) -> list:
    known = {id(each): each for each in objects}
    done = set()

    def search(here, way):
        if here in way:
            return way[way.index(here) :]
        if here in done:
            return None
        for after in gc.get_referents(known[here]):
            if id(after) in known:
                found = search(id(after), [*way, here])
                if found:
                    return found
        done.add(here)
        return None

    for start in known:
        found = search(start, [])
        if found:
            return [known[name] for name in found]
    return []
