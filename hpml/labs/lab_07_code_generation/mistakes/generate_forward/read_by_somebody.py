"""It keeps a call as soon as somebody reads its result. But if nobody needs the reader, nobody
needs the call either: go from the last call backwards."""


def generate_forward(
    inputs: list[str], calls: list[tuple[str, int, list[str]]], output: str
) -> str:
    needed = {output}
    for _, _, arguments in calls:
        needed.update(arguments)
    lines = [f"def forward(self, {', '.join(inputs)}):", "    l = self._execution_order_layers"]
    for name, layer, arguments in calls:
        if name in needed:
            lines.append(f"    {name} = l[{layer}]({', '.join(arguments)})")
    return "\n".join([*lines, f"    return {output}"])
