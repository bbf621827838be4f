"""`/` gives floats, and half a pixel where the stride does not divide. A kernel stands at a whole
number of places: `//`."""

LIKE = "counts_from_one"
CHANGES = {
    "//": "/",
    "{position + 1}": "{position}",
}
