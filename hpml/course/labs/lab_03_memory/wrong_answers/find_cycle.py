"""Wrong answers to `find_cycle`: each docstring is the diagnosis."""

import gc


def _search(objects, *, starts=None, whole_path=False):
    known = {id(each): each for each in objects}
    done = set()
    for start in list(known)[:starts]:
        path = {}
        if start not in done:
            path[start] = iter(gc.get_referents(known[start]))
        while path:
            here = next(reversed(path))
            for after in path[here]:
                if id(after) in path:
                    names = list(path)
                    cycle = names if whole_path else names[names.index(id(after)) :]
                    return [known[name] for name in cycle]
                if id(after) in known and id(after) not in done:
                    path[id(after)] = iter(gc.get_referents(after))
                    break
            else:
                done.add(here)
                del path[here]
    return []


def first_object_only(objects):
    """It searches from the first object only. The cycle may be unreachable from there: start from every
    object."""
    return _search(objects, starts=1)


def seen_before(objects):
    """Two objects may refer to the same third object without forming a cycle. That an object was
    visited before is not enough: it must be on the current path."""
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


def way_and_all(objects):
    """Your answer also contains the path that leads to the cycle. The cycle begins at the object
    that is met again."""
    return _search(objects, whole_path=True)


def recursion(objects):
    """Each object on the path is a function call that has not returned, and Python limits their
    number. Keep the path in a list or a dict of your own."""
    known = {id(each): each for each in objects}
    done, path = set(), []

    def search(here):
        path.append(here)
        for after in map(id, gc.get_referents(known[here])):
            if after in path:
                return [known[name] for name in path[path.index(after) :]]
            if after in known and after not in done and (found := search(after)):
                return found
        done.add(path.pop())
        return []

    for start in known:
        if start not in done and (found := search(start)):
            return found
    return []
