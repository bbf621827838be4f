"""It follows references to objects that were not given. Only those in `objects` count: an object
refers to its class too, and every class is part of a cycle."""

LIKE = "way_and_all"
CHANGES = {
    "if id(after) in known and id(after) not in done": "if id(after) not in done",
    "return [known[name] for name in way]": "return [known[name] for name in list(way)[list(way).index(id(after)) :]]",
}
