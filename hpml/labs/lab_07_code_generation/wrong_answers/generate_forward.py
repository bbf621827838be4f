"""Wrong answers to `generate_forward`: each docstring is the diagnosis."""


def _needed(calls, output):
    needed = {output}
    for name, _, arguments in reversed(calls):
        if name in needed:
            needed.update(arguments)
    return needed


def _lines(calls, needed=None):
    lines = []
    for name, layer, arguments in calls:
        if needed is None or name in needed:
            lines.append(f"    {name} = l[{layer}]({', '.join(arguments)})")
    return lines


def _source(inputs, lines, output):
    first = [f"def forward(self, {', '.join(inputs)}):", "    l = self._execution_order_layers"]
    last = [f"    return {output}"] if output else []
    return "\n".join([*first, *lines, *last])


def another_name_for_the_layers(inputs, calls, output):
    """The source works, but its first line is not `l = self._execution_order_layers`."""
    source = _source(inputs, _lines(calls, _needed(calls, output)), output)
    return source.replace("    l = ", "    layers = ").replace("= l[", "= layers[")


def collects_forwards(inputs, calls, output):
    """A needed call is missing. When a call turns out to be needed, those before it have been passed
    already: go from the last call backwards."""
    needed = {output}
    for name, _, arguments in calls:
        if name in needed:
            needed.update(arguments)
    return _source(inputs, _lines(calls, needed), output)


def counts_the_calls(inputs, calls, output):
    """It calls the wrong layers: `l[...]` takes the layer's number, which is in the call, not the
    call's position in the list."""
    numbered = [(name, position, arguments) for position, (name, _, arguments) in enumerate(calls)]
    return _source(inputs, _lines(numbered, _needed(calls, output)), output)


def executes_everything(inputs, calls, output):
    """The value is right, but calls that are not needed are executed as well."""
    return _source(inputs, _lines(calls), output)


def forgets_the_return(inputs, calls, output):
    """The forward calls the right layers and returns nothing: the last line, `return` and the
    output's name, is missing."""
    return _source(inputs, _lines(calls, _needed(calls, output)), None)


def lists_of_lines(inputs, calls, output):
    """It returns a list of lines. Join them into one text: `"\\n".join(lines)`."""
    return _source(inputs, _lines(calls, _needed(calls, output)), output).splitlines()


def read_by_somebody(inputs, calls, output):
    """It keeps every call whose result is read. If the reader is not needed, the call is not needed
    either: go from the last call backwards."""
    needed = {output}.union(*(arguments for _, _, arguments in calls))
    return _source(inputs, _lines(calls, needed), output)


def recursion(inputs, calls, output):
    """It finds what is needed with a function that calls itself, once for each call of a network. One
    loop from the last call backwards does the same at any depth."""
    made_by = {name: arguments for name, _, arguments in calls}
    needed = set()

    def need(name):
        if name not in needed:
            needed.add(name)
            for argument in made_by.get(name, []):
                need(argument)

    need(output)
    return _source(inputs, _lines(calls, needed), output)


def written_backwards(inputs, calls, output):
    """The last call comes first. Going backwards finds what is needed; the lines themselves keep the
    order of `calls`."""
    return _source(inputs, _lines(calls, _needed(calls, output))[::-1], output)
