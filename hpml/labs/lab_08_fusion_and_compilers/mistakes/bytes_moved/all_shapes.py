"""In one loop it reads every array that has a shape. One that no operation reads stays where it is."""

LIKE = "operand_twice"
CHANGES = {
    "{name for _, operands in ops for name in operands}": "set(shapes)",
    "[result, *operands]": "[result, *set(operands)]",
}
