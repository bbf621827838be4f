"""It hands each value to a layer once. A call may be given the same value twice, as in `a + a`, and
then both count.
"""


def generate_forward(
    inputs: list[str], calls: list[tuple[str, int, list[str]]], output: str
) -> str:
    needed = {output}
    for name, _, arguments in reversed(calls):
        if name in needed:
            needed.update(arguments)
    lines = [f"def forward(self, {', '.join(inputs)}):", "    l = self._execution_order_layers"]
    for name, layer, arguments in calls:
        if name in needed:
            lines.append(f"    {name} = l[{layer}]({', '.join(dict.fromkeys(arguments))})")
    return "\n".join([*lines, f"    return {output}"])
