import gc

SAYS = {
    "Write `find_cycle(objects)`.": "the name",
    "`gc.get_referents(one)` lists the objects that `one` refers to.": "how to do it",
    "For `a, b = [], []; a.append(b); b.append(a)` it returns": "an example, which is a case",
}
EQUIVALENT = {
    "9: if start not in done: → if True:": "an object that is done leads to no cycle again",
    "13: for after in way[here]: → ... del way[here]": "with a `break` at the end of the loop, the iterator keeps its place for the outer loop",
    "14: id(after) in way → way.get(id(after))": "an iterator is true",
    "17: id(after) in known → known.get(id(after))": "an object that is false is empty, so it is on no cycle",
}


def _find(objects, starts=None, selves=True, given=True, limit=None):
    known = {id(each): each for each in objects}
    done = set()
    for start in list(known)[:starts]:
        way = {}
        if start not in done:
            way[start] = (known[start], iter(gc.get_referents(known[start])))
        while way:
            here = next(reversed(way))
            for after in way[here][1]:
                place = id(after)
                if place in way:
                    if place == here and not selves:
                        continue
                    names = list(way)
                    return [way[name][0] for name in names[names.index(place) :]]
                if place in done or (given and place not in known):
                    continue
                if not given and type(after) not in (list, dict) and place not in known:
                    if not hasattr(after, "first"):
                        continue
                way[place] = (after, iter(gc.get_referents(after)))
                if limit and len(way) > limit:
                    raise RecursionError
                break
            else:
                done.add(here)
                del way[here]
    return []


def from_the_first_only(objects):
    """It returns a list of objects from `objects`: each refers to the next, and the last to the
    first."""
    return _find(objects, starts=1)


def backwards(objects):
    """each refers to the next, and the last to the first."""
    return _find(objects)[::-1]


def their_numbers(objects):
    """It returns a list of objects from `objects`"""
    return [id(each) for each in _find(objects)]


def all_of_them(objects):
    """each refers to the next, and the last to the first."""
    return list(objects) if _find(objects) else []


def with_the_path_to_it(objects):
    """each refers to the next, and the last to the first."""
    found = _find(objects)
    if not found:
        return []
    others = [
        each
        for each in objects
        if not any(each is one for one in found)
        and any(after is found[0] for after in gc.get_referents(each))
    ]
    return [*others[:1], *found]


def as_a_set_of_one(objects):
    """It returns a list of objects from `objects`"""
    return {0: _find(objects)}


def closed(objects):
    """No object is in the list twice."""
    found = _find(objects)
    return [*found, *found[:1]]


def twice_round(objects):
    """No object is in the list twice."""
    return _find(objects) * 2


def none_if_there_is_none(objects):
    """If there is no cycle, return `[]`."""
    return _find(objects) or None


def raises_if_there_is_none(objects):
    """If there is no cycle, return `[]`."""
    found = _find(objects)
    if not found:
        raise ValueError("no cycle")
    return found


def seen_before_is_a_cycle(objects):
    """If there is no cycle, return `[]`."""
    known, seen = {id(each): each for each in objects}, set()
    for each in objects:
        for after in gc.get_referents(each):
            if id(after) in seen and id(after) in known:
                return _find(objects) or [each, after]
            seen.add(id(after))
    return []


def not_of_one(objects):
    """An object that refers to itself is a cycle of one."""
    return _find(objects, selves=False)


def through_others(objects):
    """Only those in `objects` count."""
    return _find(objects, given=False)


def others_left_out(objects):
    """Only those in `objects` count."""
    known = {id(each) for each in objects}
    return [each for each in _find(objects, given=False) if id(each) in known]


def by_equality(objects):
    """Two objects may be equal, and some raise an error on `==`: tell them apart by `id`."""
    found = _find(objects)
    return [objects[objects.index(each)] for each in found] if found else found


def by_membership(objects):
    """some raise an error on `==`"""
    return [each for each in _find(objects) if each in [*objects][::-1]]


def by_hash(objects):
    """Two objects may be equal, and some raise"""
    return [] if not set(map(id, objects)) else list(dict.fromkeys(_find(objects)))


def of_a_hundred(objects):
    """A chain may be 5,000 objects long."""
    return _find(objects, limit=100)


def of_two_thousand(objects):
    """A chain may be 5,000 objects long."""
    return _find(objects, limit=2_000)


def _from(known, here, way, done):
    way.append(here)
    for after in gc.get_referents(known[here]):
        if id(after) in way:
            return [known[each] for each in way[way.index(id(after)) :]]
        if id(after) in known and id(after) not in done:
            found = _from(known, id(after), way, done)
            if found:
                return found
    done.add(way.pop())
    return []


def recursive(objects):
    """A chain may be 5,000 objects long."""
    known = {id(each): each for each in objects}
    done = set()
    for start in known:
        found = _from(known, start, [], done) if start not in done else []
        if found:
            return found
    return []
