"""The forward calls the right layers and returns nothing: its last line is missing, `return` and
the output's name."""


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
            lines.append(f"    {name} = l[{layer}]({', '.join(arguments)})")
    return "\n".join(lines)
