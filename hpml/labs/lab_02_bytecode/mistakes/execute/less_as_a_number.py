"""`COMPARE_LESS` pushes what `left < right` gives: `True` or `False`. 1 and 0 are ints."""

LIKE = "jump_leaves_the_value"
CHANGES = {
    "place = place if stack[-1] else arg": "place = place if stack.pop() else arg",
    "            stack.append(OPERATORS[opname](left, right))\n": (
        "            found = OPERATORS[opname](left, right)\n"
        '            stack.append(int(found) if opname == "COMPARE_LESS" else found)\n'
    ),
}
