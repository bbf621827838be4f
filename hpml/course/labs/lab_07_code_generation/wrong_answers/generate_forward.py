"""Wrong answers to `generate_forward`: each docstring is the diagnosis."""


def _needed(calls, output):
    """Return the calls that the output needs."""
    needed = {output}
    for name, _, arguments in reversed(calls):
        if name in needed:
            needed.update(arguments)
    return [call for call in calls if call[0] in needed]


def _source(inputs, calls, output):
    lines = [f"def forward(self, {', '.join(inputs)}):", "    l = self._execution_order_layers"]
    for name, layer, arguments in calls:
        lines.append(f"    {name} = l[{layer}]({', '.join(arguments)})")
    return "\n".join([*lines, f"    return {output}"])


def collects_forwards(inputs, calls, output):
    """A needed call is missing. When a call turns out to be needed, those before it have been passed
    already: go from the last call backwards."""
    needed = {output}
    for name, _, arguments in calls:
        if name in needed:
            needed.update(arguments)
    return _source(inputs, [call for call in calls if call[0] in needed], output)


def counts_the_calls(inputs, calls, output):
    """It calls the wrong layers: `l[...]` takes the layer's number, which is in the call, not the
    call's position in the list."""
    numbered = [(name, position, arguments) for position, (name, _, arguments) in enumerate(calls)]
    return _source(inputs, _needed(numbered, output), output)


def executes_everything(inputs, calls, output):
    """The value is right, but calls that are not needed are executed as well."""
    return _source(inputs, calls, output)


def forgets_the_return(inputs, calls, output):
    """The forward calls the right layers and returns nothing: the last line, `return` and the
    output's name, is missing."""
    return _source(inputs, _needed(calls, output), output).rpartition("\n")[0]
