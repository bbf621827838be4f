"""`None` is a constant like any other. `LOAD_CONST None` pushes it; with your machine the stack is one
value short."""

LIKE = "jump_leaves_the_value"
CHANGES = {
    "            stack.append(arg)\n": (
        "            if arg is not None:\n                stack.append(arg)\n"
    ),
    "place = place if stack[-1] else arg": "place = place if stack.pop() else arg",
}
