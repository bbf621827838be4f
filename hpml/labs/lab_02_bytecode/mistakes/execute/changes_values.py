"""It writes into the caller's `values`. The array belongs to the caller: begin with a copy."""

LIKE = "jump_leaves_the_value"
CHANGES = {
    "values, stack, place = list(values), [], 0": "stack, place = [], 0",
    "place = place if stack[-1] else arg": "place = place if stack.pop() else arg",
}
