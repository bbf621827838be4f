"""It stops after a number of steps of its own choosing. A program ends behind its last instruction,
however long that takes."""

LIKE = "jump_leaves_the_value"
CHANGES = {
    ("    values, stack, place = list(values), [], 0\n    while place < len(instructions):\n"): (
        "    values, stack, place, steps = list(values), [], 0, 0\n"
        "    while place < len(instructions) and steps < 1_000:\n"
        "        steps += 1\n"
    ),
    "place = place if stack[-1] else arg": "place = place if stack.pop() else arg",
}
