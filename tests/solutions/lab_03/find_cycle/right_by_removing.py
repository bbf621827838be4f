import gc


def find_cycle(objects):
    by_id = {id(each): each for each in objects}
    after = {
        name: [id(o) for o in gc.get_referents(by_id[name]) if id(o) in by_id] for name in by_id
    }
    before = {name: [] for name in by_id}
    for name, others in after.items():
        for other in others:
            before[other].append(name)
    left = {name: len(others) for name, others in after.items()}
    ends = [name for name, count in left.items() if count == 0]
    for name in ends:
        del left[name]
        for other in before[name]:
            left[other] -= 1
            if left[other] == 0:
                ends.append(other)
    if not left:
        return []
    way = {}
    name = next(iter(left))
    while name not in way:
        way[name] = len(way)
        name = next(other for other in after[name] if other in left)
    return tuple(by_id[each] for each in list(way)[way[name] :])
