"""The last call stands first. From the end one finds out who is needed; the lines themselves
stand in the order of `calls`."""


def generate_forward(
    inputs: list[str], calls: list[tuple[str, int, list[str]]], output: str
) -> str:
    needed, lines = {output}, []
    for name, layer, arguments in reversed(calls):
        if name in needed:
            needed.update(arguments)
            lines.append(f"    {name} = l[{layer}]({', '.join(arguments)})")
    head = [f"def forward(self, {', '.join(inputs)}):", "    l = self._execution_order_layers"]
    return "\n".join([*head, *lines, f"    return {output}"])
