"""It returns the result of the last call. `output` says which value is asked for, and what comes
after it need not be executed."""


def generate_forward(
    inputs: list[str], calls: list[tuple[str, int, list[str]]], output: str
) -> str:
    lines = [f"def forward(self, {', '.join(inputs)}):", "    l = self._execution_order_layers"]
    for name, layer, arguments in calls:
        lines.append(f"    {name} = l[{layer}]({', '.join(arguments)})")
    return "\n".join([*lines, f"    return {name}"])
