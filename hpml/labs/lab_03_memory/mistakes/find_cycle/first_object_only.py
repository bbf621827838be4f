"""It searches from the first object alone. The cycle may lie where no way leads from there: every
object is a place to begin."""

LIKE = "way_and_all"
CHANGES = {
    "for start in known:": "for start in list(known)[:1]:",
    "return [known[name] for name in way]": "return [known[name] for name in list(way)[list(way).index(id(after)) :]]",
}
