"""In one loop only the last result is written: what one operation makes for the next stays in a
register."""

LIKE = "operand_twice"
CHANGES = {
    "results[-1]]": "*results]",
    "[result, *operands]": "[result, *set(operands)]",
}
