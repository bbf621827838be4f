"""`in` and `.index` compare with `==`. Two empty lists are equal and yet two objects, and some
objects refuse to be compared. Use `id(one)`."""

import gc


def find_cycle(objects: list) -> list:
    def search(here, way):
        if here in way:
            return way[way.index(here) :]
        for after in gc.get_referents(here):
            if after in objects:
                found = search(after, [*way, here])
                if found:
                    return found
        return []

    for start in objects:
        found = search(start, [])
        if found:
            return found
    return []
