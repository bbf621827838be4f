"""It calls the wrong layers: `l[...]` takes the layer's number, which stands in the call, and not
the place of the call in the list."""


def generate_forward(
    inputs: list[str], calls: list[tuple[str, int, list[str]]], output: str
) -> str:
    needed = {output}
    for name, _, arguments in reversed(calls):
        if name in needed:
            needed.update(arguments)
    lines = [f"def forward(self, {', '.join(inputs)}):", "    l = self._execution_order_layers"]
    for layer, (name, _, arguments) in enumerate(calls):
        if name in needed:
            lines.append(f"    {name} = l[{layer}]({', '.join(arguments)})")
    return "\n".join([*lines, f"    return {output}"])
