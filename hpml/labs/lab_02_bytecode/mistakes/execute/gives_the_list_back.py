"""With nothing to do it returns the caller's own list. A new list is asked for: who changes one must not
change the other."""

LIKE = "jump_leaves_the_value"
CHANGES = {
    "def execute(instructions, values):\n": (
        "def execute(instructions, values):\n    if not instructions:\n        return values\n"
    ),
    "place = place if stack[-1] else arg": "place = place if stack.pop() else arg",
}
