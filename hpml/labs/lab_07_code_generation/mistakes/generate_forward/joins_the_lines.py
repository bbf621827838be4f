"""The source is right but for its form: the statements stand on one line, joined by `;`. Join them
by line breaks.
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
            lines.append(f"    {name} = l[{layer}]({', '.join(arguments)})")
    body = "; ".join(line.strip() for line in [*lines[1:], f"return {output}"])
    return f"{lines[0]}\n    {body}"
