"""It counts the target of a jump from where the jump stands, as CPython does today. Here the target
is a place in the list: `JUMP 3` goes on at instruction 3, counted from 0."""

LIKE = "jump_leaves_the_value"
CHANGES = {
    "place = arg": "place = place + arg",
    "place = place if stack[-1] else arg": "place = place if stack.pop() else place + arg",
}
