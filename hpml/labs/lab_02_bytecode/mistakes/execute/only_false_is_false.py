"""It takes `False` alone for false, or what equals it. As `if` sees them, `None`, an empty text and an
empty list are false too."""

LIKE = "jump_leaves_the_value"
CHANGES = {
    "place = place if stack[-1] else arg": "place = arg if stack.pop() is False else place",
}
