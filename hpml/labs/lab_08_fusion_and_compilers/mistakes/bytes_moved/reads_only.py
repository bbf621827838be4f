"""What is written moves as well: each operation's result, and in one loop the last one's."""

LIKE = "operand_twice"
CHANGES = {
    ", results[-1]]": "]",
    "[result, *operands]": "set(operands)",
}
