"""It sorts the calls, so that a value is used before it is made. They stand in an order that works:
keep it.
"""


def generate_forward(
    inputs: list[str], calls: list[tuple[str, int, list[str]]], output: str
) -> str:
    needed = {output}
    for name, _, arguments in reversed(sorted(calls)):
        if name in needed:
            needed.update(arguments)
    lines = [f"def forward(self, {', '.join(inputs)}):", "    l = self._execution_order_layers"]
    for name, layer, arguments in sorted(calls):
        if name in needed:
            lines.append(f"    {name} = l[{layer}]({', '.join(arguments)})")
    return "\n".join([*lines, f"    return {output}"])
