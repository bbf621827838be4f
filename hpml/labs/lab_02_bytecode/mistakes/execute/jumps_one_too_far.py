"""It goes on behind the instruction that a jump names. `JUMP 3` goes on *at* instruction 3, counted
from 0."""

LIKE = "jump_leaves_the_value"
CHANGES = {
    "place = arg": "place = arg + 1",
    "place = place if stack[-1] else arg": "place = place if stack.pop() else arg + 1",
}
