"""Checks of the values in `hpml.bytecode` that need no pytest, so that every interpreter runs them.

``python -m tests.bytecode.plain_checks`` runs them and the packages' doctests, and prints how many.
"""

from __future__ import annotations

import array
import dis
import doctest
import gc
import heapq
import importlib
import importlib.util
import itertools
import json.decoder
import linecache
import statistics
import struct
import sys
import textwrap
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType

from hpml.bytecode.disassembly import Listing, disassemble, pyc_of
from hpml.bytecode.object_header import object_header

MODULES = [
    "hpml.bytecode.counting",
    "hpml.bytecode.disassembly.listing",
    "hpml.bytecode.disassembly.pyc",
    "hpml.bytecode.disassembly.subject",
    "hpml.bytecode.disassembly.versions",
    "hpml.bytecode.object_fields",
    "hpml.bytecode.object_header",
]


def functions() -> Iterator[FunctionType]:
    """Yield a few hundred functions of the standard library, generators and methods among them."""
    modules: list[ModuleType] = [statistics, json.decoder, textwrap, heapq, dis]
    for module in modules:
        for thing in vars(module).values():
            parts = vars(thing).values() if isinstance(thing, type) else [thing]
            yield from (part for part in parts if isinstance(part, FunctionType))


def listings() -> Iterator[Listing]:
    for function in functions():
        yield from disassemble(function).listings


def check_that_the_source_piece_stands_in_its_line() -> None:
    met = 0
    for listing in listings():
        for step in listing.instructions:
            if step.source and step.line:
                line = linecache.getline(listing.code.co_filename, step.line)
                assert step.source.removesuffix("…").strip() in line
                met += 1
    assert met > 10_000


def check_that_blocks_hold_every_instruction_once_and_jumps_lead_to_their_beginnings() -> None:
    for listing in listings():
        steps = [step for block in listing.blocks for step in block.instructions]
        assert tuple(steps) == listing.instructions
        starts = {block.offset for block in listing.blocks}
        targets = {s.jump_target for s in listing.instructions if s.jump_target is not None}
        targets |= {entry.target for entry in listing.exception_table}
        assert targets <= starts
        assert {after for block in listing.blocks for after in block.successors} <= starts
        assert targets <= {s.offset for s in listing.instructions if s.is_jump_target}


def check_that_stack_effects_keep_within_the_declared_depth() -> None:
    """Follow every way through a function; two ways to a place must agree on the stack's height."""
    for listing in listings():
        steps = {step.offset: step for step in listing.instructions}
        order = list(steps)
        following = dict(itertools.pairwise(order))
        heights = {order[0]: 0}
        waiting = [order[0]]
        for entry in listing.exception_table:
            heights[entry.target] = entry.depth + 1 + entry.lasti
            waiting.append(entry.target)
        while waiting:
            offset = waiting.pop()
            step, height = steps[offset], heights[offset]
            assert 0 <= height <= listing.code.co_stacksize
            ways = []
            if step.falls_through:
                assert step.stack_effect is not None
                # Resumed, a generator finds a value on its stack; older versions do not say so.
                resumed = step.opname == "RETURN_GENERATOR"
                effect = 1 if resumed else step.stack_effect
                ways.append((following[offset], height + effect))
            if step.jump_target is not None:
                assert step.stack_effect_jump is not None
                ways.append((step.jump_target, height + step.stack_effect_jump))
            for place, reached in ways:
                if place not in heights:
                    heights[place] = reached
                    waiting.append(place)
                assert heights[place] == reached, (listing.name, offset, place)


def check_that_code_objects_inside_are_listed_under_their_names() -> None:
    def outer(xs: list[int]) -> Callable[[], list[int]]:
        def inner() -> list[int]:
            return [x + 1 for x in xs]

        return inner

    names = [listing.name for listing in disassemble(outer).listings]
    assert f"inner in {names[0]}" in names
    if sys.version_info >= (3, 14):
        assert f"annotations in {names[0]}" in names
    assert all(f"\n{name[:1].upper() + name[1:]}\n" in f"\n{disassemble(outer)}" for name in names)
    assert "0x" not in str(disassemble(outer)), "an address says nothing"


def check_pyc() -> None:
    source = "d = a + b * c  # é\n"
    pyc = pyc_of(source)
    data = [cell for cell in pyc.table.column("in the file") if isinstance(cell, bytes)]
    assert b"".join(data) == pyc.header
    assert pyc.header[:8] == importlib.util.MAGIC_NUMBER + bytes(4)
    assert struct.unpack("<I", pyc.header[12:])[0] == len(source.encode())
    scope = {"a": 2, "b": 3, "c": 4}
    exec(pyc.code, scope)
    assert scope["d"] == 14


def check_object_headers() -> None:
    objects = [
        *(sign * value for value in (0, 1, 1000, 2**30 - 1, 2**30, 2**100) for sign in (1, -1)),
        *(True, False, 1.5, -0.0, float("nan"), float("inf")),
        *([], [1], [1, 2, 3], list(range(1000, 1101)), [[]]),
        *("spam", None, (1, 2), {}, {1}, object(), len, type, array.array("d", [1.0])),
    ]
    for value in objects:
        header = object_header(value)
        assert header.agrees, str(header)
        inside = [field for field in header.fields if not field.via_pointer]
        ends = [field.offset + field.size for field in inside]
        assert [field.offset for field in inside] == [0, *ends[:-1]], "no gap between the fields"
        if type(value) in (int, bool, float):
            assert ends[-1] == header.size
        assert str(header.table) in str(header)


def check_reference_counts() -> None:
    """Each further name is one reference more."""
    value = [1000]
    one = object_header(value).references
    other = value
    two = object_header(value).references
    argument = sys.version_info < (3, 14)  # later a local variable is lent, and not counted
    assert (one, two) == (1 + argument, 2 + argument), "the name, then one name more"
    del other
    assert object_header(value).references == one
    assert object_header([]).references == 1, "the argument alone"
    immortal = sys.version_info >= (3, 12)
    assert (object_header(None).references is None) == immortal
    assert (object_header(5).references is None) == immortal
    assert ("immortal" in str(object_header(None))) == immortal


def check_that_a_changed_list_moves_its_items() -> None:
    numbers = [1000, 2000]
    numbers.append(3000)
    header = object_header(numbers)
    names = {field.name: field.value for field in header.fields}
    assert names["ob_size"] == "3 items"
    assert names["allocated"] == f"capacity {(sys.getsizeof(numbers) - sys.getsizeof([])) // 8}"
    assert [names[f"item {place}"] for place in range(3)] == [
        "→ int 1000",
        "→ int 2000",
        "→ int 3000",
    ]


CHECKS = [value for name, value in list(globals().items()) if name.startswith("check_")]


def main() -> None:
    for check in CHECKS:
        check()
    attempted = 0
    for name in MODULES:
        result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
        assert not result.failed, name
        attempted += result.attempted
    assert not any(isinstance(value, CodeType) for value in gc.garbage)
    print(f"{len(CHECKS)} checks and {attempted} examples hold on {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
