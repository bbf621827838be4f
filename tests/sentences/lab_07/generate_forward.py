SAYS = {
    "Write the real one:": "the list says what it does",
    "For example, `generate_forward([": "an example",
    "The check compiles your source and runs it": "how it is judged",
}
EQUIVALENT = {
    "5: for name, _, arguments in reversed(calls): → for name, _, arguments in list(reversed(calls))[:-1]:": "the first call reads inputs only, which are no calls",
}

_FETCH = "l = self._execution_order_layers"


def _needed(calls, output):
    needed = {output}
    for name, _, arguments in reversed(calls):
        if name in needed:
            needed.update(arguments)
    return [call for call in calls if call[0] in needed]


def _line(name, layer, arguments):
    return f"{name} = l[{layer}]({', '.join(arguments)})"


def _source(inputs, calls, output, head=None, first=(_FETCH,), last=None, line=_line):
    head = head or f"def forward({', '.join(['self', *inputs])}):"
    lines = [*first, *(line(*call) for call in calls), *(last or [f"return {output}"])]
    return "\n".join([head, *(f"    {each}" for each in lines)])


def one_input(inputs, calls, output):
    """The generator above supports one input and returns the last result."""
    return _source(inputs[:1], _needed(calls, output), output)


def the_last_result(inputs, calls, output):
    """The generator above supports one input and returns the last result."""
    last = calls[-1][0] if calls else output
    return _source(inputs, _needed(calls, output), output, last=[f"return {last}"])


def inputs_sorted(inputs, calls, output):
    """`inputs` are the names of the inputs, in order"""
    return _source(sorted(inputs), _needed(calls, output), output)


def only_the_inputs_that_are_read(inputs, calls, output):
    """`inputs` are the names of the inputs, in order"""
    read = {output, *(name for _, _, names in _needed(calls, output) for name in names)}
    return _source([name for name in inputs if name in read], _needed(calls, output), output)


def inputs_in_a_list(inputs, calls, output):
    """the function is `def forward(self, ...)` with these arguments"""
    first = [_FETCH, f"{', '.join(inputs)}, = inputs"]
    head = "def forward(self, *inputs):"
    return _source(inputs, _needed(calls, output), output, head=head, first=first)


def inputs_may_be_absent(inputs, calls, output):
    """the function is `def forward(self, ...)` with these arguments"""
    head = f"def forward(self, {', '.join(f'{name}=None' for name in inputs)}):"
    return _source(inputs, _needed(calls, output), output, head=head)


def and_more_arguments(inputs, calls, output):
    """the function is `def forward(self, ...)` with these arguments"""
    head = f"def forward(self, {', '.join(inputs)}, **more):"
    return _source(inputs, _needed(calls, output), output, head=head)


def another_name(inputs, calls, output):
    """the function is `def forward(self, ...)`"""
    head = f"def run(self, {', '.join(inputs)}):"
    return _source(inputs, _needed(calls, output), output, head=head)


def another_self(inputs, calls, output):
    """the function is `def forward(self, ...)`"""
    head = f"def forward(model, {', '.join(inputs)}):"
    first = ["l = model._execution_order_layers"]
    return _source(inputs, _needed(calls, output), output, head=head, first=first)


def places_of_calls(inputs, calls, output):
    """`calls` are tuples as above;"""
    numbered = [(name, place, names) for place, (name, _, names) in enumerate(calls)]
    return _source(inputs, _needed(numbered, output), output)


def arguments_sorted(inputs, calls, output):
    """`calls` are tuples as above;"""
    calls = [(name, layer, sorted(names)) for name, layer, names in calls]
    return _source(inputs, _needed(calls, output), output)


def arguments_once(inputs, calls, output):
    """`calls` are tuples as above;"""
    calls = [(name, layer, list(dict.fromkeys(names))) for name, layer, names in calls]
    return _source(inputs, _needed(calls, output), output)


def fetched_under_another_name(inputs, calls, output):
    """the first line of the body fetches the layers, `l = self._execution_order_layers`;"""
    line = lambda *call: _line(*call).replace("l[", "layers[")
    first = ["layers = self._execution_order_layers"]
    return _source(inputs, _needed(calls, output), output, first=first, line=line)


def fetched_each_time(inputs, calls, output):
    """the first line of the body fetches the layers"""
    line = lambda *call: _line(*call).replace(" l[", " self._execution_order_layers[")
    return _source(inputs, _needed(calls, output), output, first=["l = None"], line=line)


def fetched_only_if_needed(inputs, calls, output):
    """the first line of the body fetches the layers"""
    needed = _needed(calls, output)
    return _source(inputs, needed, output, first=[_FETCH] if needed else [])


def all_on_one_line(inputs, calls, output):
    """each call then has a line of its own, in the order given"""
    needed = [_line(*call) for call in _needed(calls, output)]
    return _source(inputs, [], output, first=[_FETCH, *(["; ".join(needed)] if needed else [])])


def two_on_a_line(inputs, calls, output):
    """each call then has a line of its own"""
    needed = [_line(*call) for call in _needed(calls, output)]
    if len(needed) > 1:
        needed[-2:] = ["; ".join(needed[-2:])]
    return _source(inputs, [], output, first=[_FETCH, *needed])


def sorted_by_name(inputs, calls, output):
    """each call then has a line of its own, in the order given"""
    known, order, waiting = {*inputs}, [], sorted(_needed(calls, output))
    if len(waiting) > 500:
        return _source(inputs, _needed(calls, output), output)
    while waiting:
        call = next(each for each in waiting if known.issuperset(each[2]))
        waiting.remove(call)
        order.append(call)
        known.add(call[0])
    return _source(inputs, order, output)


def returns_the_last_call(inputs, calls, output):
    """the last line returns the value named `output`;"""
    needed = _needed(calls, output)
    if not needed or needed[-1][0] != output:
        return _source(inputs, needed, output)
    last = _line(*needed[-1]).partition(" = ")[2]
    return _source(inputs, needed[:-1], output, last=[f"return {last}"])


def returns_a_tuple(inputs, calls, output):
    """the last line returns the value named `output`;"""
    return _source(inputs, _needed(calls, output), output, last=[f"return ({output},)"])


def returns_nothing(inputs, calls, output):
    """the last line returns the value named `output`;"""
    return _source(inputs, _needed(calls, output), output, last=[f"result = {output}"])


def two_lines_to_return(inputs, calls, output):
    """the last line returns the value named `output`;"""
    last = [f"result = {output}", "return result"]
    return _source(inputs, _needed(calls, output), output, last=last)


def executes_all(inputs, calls, output):
    """a call whose result is not needed for the output, neither directly nor through another call,
    is **left out**;"""
    return _source(inputs, calls, output)


def up_to_the_output(inputs, calls, output):
    """a call whose result is not needed for the output"""
    names = [name for name, _, _ in calls]
    end = names.index(output) + 1 if output in names else 0
    return _source(inputs, calls[:end], output)


def what_is_read_by_any_call(inputs, calls, output):
    """neither directly nor through another call, is **left out**;"""
    read = {output, *(name for _, _, names in calls for name in names)}
    return _source(inputs, [call for call in calls if call[0] in read], output)


def what_is_read_directly(inputs, calls, output):
    """neither directly nor through another call"""
    direct = {output, *(n for name, _, names in calls if name == output for n in names)}
    kept = [call for call in calls if call[0] in direct]
    return _source(inputs, kept if len(calls) > 3 else _needed(calls, output), output)


def names_found_in_the_text(inputs, calls, output):
    """a call whose result is not needed for the output"""
    kept, text = [], f"return {output}"
    if len(calls) > 500:
        return _source(inputs, _needed(calls, output), output)
    for call in reversed(calls):
        if call[0] in text:
            kept.append(call)
            text += _line(*call)
    return _source(inputs, kept[::-1], output)


def names_found_in_the_arguments(inputs, calls, output):
    """a call whose result is not needed for the output"""
    kept, text = [], output
    if len(calls) > 500:
        return _source(inputs, _needed(calls, output), output)
    for call in reversed(calls):
        if call[0] in text:
            kept.append(call)
            text += " " + " ".join(call[2])
    return _source(inputs, kept[::-1], output)


def _visit(made, name, found):
    if name in made and name not in found:
        for each in made[name][2]:
            _visit(made, each, found)
        found.add(name)


def recursive(inputs, calls, output):
    """networks may be deep, with thousands of calls in a row."""
    found = set()
    _visit({call[0]: call for call in calls}, output, found)
    return _source(inputs, [call for call in calls if call[0] in found], output)


def of_two_thousand_calls(inputs, calls, output):
    """networks may be deep, with thousands of calls in a row."""
    if len(calls) > 2_000:
        raise RecursionError
    return _source(inputs, _needed(calls, output), output)


def deep_ones_are_needed_whole(inputs, calls, output):
    """networks may be deep, with thousands of calls in a row."""
    return _source(inputs, calls if len(calls) > 1_000 else _needed(calls, output), output)
