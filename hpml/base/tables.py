"""Tables as text and as HTML, notes that are folded below, and the format of numbers with units."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hpml.base.errors import HpmlError, describe

Format = Callable[[object], str] | Callable[[float], str]
"""A function that formats the values of a column."""

_ALIGNMENTS = {"left": "<", "right": ">"}


class TableError(HpmlError, ValueError):
    """A row has not one value for each column."""


class Shown:
    """A value that displays as one or more tables, as text and as HTML."""

    def __init_subclass__(cls) -> None:
        # On each subclass, since IPython would prefer the __repr__ that a dataclass defines.
        setattr(cls, "_repr_pretty_", Shown._repr_pretty_)  # noqa: B010 - mypy: not a method

    def _shown(self) -> Sequence[Any]:
        value: Any = self
        return [value.table]

    def __str__(self) -> str:
        return "\n\n".join(str(part) for part in self._shown())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # The text form of IPython, which `hpml run` prints.
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return "".join(part._repr_html_() for part in self._shown())


@dataclass(frozen=True, eq=True)
class Table(Shown):
    """An immutable table: named columns and rows of any values.

    Args:
        columns: names of the columns.
        rows: one sequence per row, with one value per column.
        title: a line above the table.
        caption: a line below the table.
        fold: a summary, and a text that a page shows below the caption once it is opened.
        align: ``"left"`` or ``"right"`` for each column; by default numbers are aligned right and
            other values left.
        formats: function from a value to text, by column name; None values are not passed to it
            and are shown as a dash.
        code: show in a fixed-width font, as code.

    Raises:
        TableError: a row has not one value for each column.

    >>> table = Table(["layers", "execution", "time"],
    ...               [[250, "lazy", 1.25e-3], [1000, "codegen", 3.0e-3]],
    ...               title="Forward", formats={"time": format_seconds})
    >>> print(table)
    Forward
    layers  execution     time
    ------  ---------  -------
       250  lazy       1.25 ms
      1000  codegen    3.00 ms
    >>> table.column("layers")
    (250, 1000)
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    title: str | None = field(default=None, kw_only=True)
    caption: str | None = field(default=None, kw_only=True)
    fold: tuple[str, str] | None = field(default=None, kw_only=True)
    align: Sequence[str] | None = field(default=None, kw_only=True)
    formats: Mapping[str, Format] = field(default_factory=dict, kw_only=True, compare=False)
    code: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        columns = tuple(str(name) for name in self.columns)
        rows = tuple(tuple(row) for row in self.rows)
        for number, row in enumerate(rows):
            if len(row) != len(columns):
                raise TableError(
                    object=f"row {number}",
                    expected=f"{len(columns)} values, one for each of {', '.join(columns)}",
                    received=describe(row),
                    remedy="Pass None where a value is missing.",
                )
        align = tuple(self.align) if self.align is not None else _default_align(columns, rows)
        for name, value in (("columns", columns), ("rows", rows), ("align", align)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "formats", dict(self.formats))

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> tuple[object, ...]:
        """Return the unformatted values of one column."""
        index = list(self.columns).index(name)
        return tuple(row[index] for row in self.rows)

    def __str__(self) -> str:
        cells = [list(self.columns), *self._texts()]
        widths = [max(len(row[index]) for row in cells) for index in range(len(self.columns))]
        lines = [self._line(row, widths) for row in cells]
        lines.insert(1, "  ".join("-" * width for width in widths))
        if self.title:
            lines.insert(0, self.title)
        if self.caption:
            lines.append(self.caption)
        if self.fold:
            lines.append(self.fold[1])
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        # Colours are inherited, to fit light and dark themes.
        font = " font-family: var(--jp-code-font-family, monospace);" if self.code else ""
        parts = [f'<table style="border-collapse: collapse; margin: 0.5em 0;{font}">']
        if self.title:
            # A short title does not wrap at the width of a narrow table.
            wrap = " white-space: nowrap;" if len(self.title) <= 80 else ""
            title = html.escape(self.title)
            parts.append(f'<caption style="text-align: left;{wrap}"><b>{title}</b></caption>')
        # A screen reader would announce a header without text as one.
        head = "".join(
            self._cell("th" if name else "td", name, side)
            for name, side in self._sided(self.columns)
        )
        parts.append(f"<thead><tr>{head}</tr></thead><tbody>")
        for row in self._texts():
            cells = "".join(self._cell("td", text, side) for text, side in self._sided(row))
            parts.append(f"<tr>{cells}</tr>")
        parts.append("</tbody></table>")
        if self.caption:
            parts.append(f"<p><small>{html.escape(self.caption)}</small></p>")
        if self.fold:
            parts.append(fold(*self.fold))
        return "".join(parts)

    def _texts(self) -> list[list[str]]:
        formats = [self.formats.get(name) for name in self.columns]
        return [
            [_text(value, form) for value, form in zip(row, formats, strict=True)]
            for row in self.rows
        ]

    def _sided(self, texts: Sequence[str]) -> list[tuple[str, str]]:
        return list(zip(texts, self.align or (), strict=True))

    def _line(self, texts: Sequence[str], widths: Sequence[int]) -> str:
        padded = (
            f"{text:{_ALIGNMENTS[side]}{width}}"
            for (text, side), width in zip(self._sided(texts), widths, strict=True)
        )
        return "  ".join(padded).rstrip()

    @staticmethod
    def _cell(tag: str, text: str, side: str) -> str:
        wrap = " white-space: nowrap;" if side == "right" else ""  # a number and its unit
        style = f"text-align: {side}; padding: 0.2em 0.8em;{wrap}"
        return f'<{tag} style="{style}">{html.escape(text)}</{tag}>'


def fold(summary: str, text: str) -> str:
    """Return HTML that shows a summary, and the lines of a text once it is opened.

    >>> fold("Notes", "A < B")
    '<details><summary><small>Notes</small></summary><p><small>A &lt; B</small></p></details>'
    """
    small = "<br>".join(html.escape(line) for line in text.splitlines())
    return (
        f"<details><summary><small>{html.escape(summary)}</small></summary>"
        f"<p><small>{small}</small></p></details>"
    )


def format_seconds(x: float) -> str:
    """Return a duration in seconds as text with three significant digits and a suitable unit.

    >>> format_seconds(12.3456e-6), format_seconds(0.25), format_seconds(0)
    ('12.3 µs', '250 ms', '0 s')
    >>> format_seconds(9.9999e-4), format_seconds(300)
    ('1.00 ms', '5.00 min')
    """
    if x == 0 or not math.isfinite(x):
        return f"{x:g} s"
    size = abs(_rounded(x))
    if size >= 7200:
        return f"{_three_digits(x / 3600)} h"
    if size >= 120:
        return f"{_three_digits(x / 60)} min"
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if size >= factor:
            return f"{_three_digits(x / factor)} {unit}"
    return f"{_three_digits(x / 1e-9)} ns"


def format_bytes(n: float) -> str:
    """Return a number of bytes as text with three significant digits and a binary unit.

    >>> format_bytes(512), format_bytes(1536), format_bytes(32 * 2**20)
    ('512 B', '1.50 KiB', '32.0 MiB')
    """
    if not math.isfinite(n) or abs(n) < 1024:
        return f"{n:g} B"
    value = float(n)
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        value /= 1024
        if abs(value) < 1023.5 or unit == "TiB":
            break
    # Three digits would show 1,023 as 1,020.
    text = f"{value:.0f}" if abs(value) >= 999.5 else _three_digits(value)
    return f"{text} {unit}"


def readable(number: float, significant: int = 2) -> str:
    """Return a number as a person writes it, without an exponent.

    >>> readable(568.3), readable(110.0), readable(1.5), readable(2.0), readable(0.0571)
    ('570', '110', '1.5', '2', '0.057')
    """
    if number == 0 or not math.isfinite(number):
        return f"{number:g}"
    places = significant - 1 - math.floor(math.log10(abs(number)))
    text = f"{round(number, places):,.{max(places, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_ratio(x: float) -> str:
    """Return a ratio as text with three significant digits and a multiplication sign.

    >>> format_ratio(2.1), format_ratio(0.98), format_ratio(347.2), format_ratio(12345)
    ('2.10×', '0.980×', '347×', '12,300×')
    """
    return f"{x:g}×" if x == 0 or not math.isfinite(x) else f"{_three_digits(x)}×"


def _default_align(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> tuple[str, ...]:
    """Return "right" for each column whose values are all numbers (or missing), else "left"."""
    sides = []
    for index in range(len(columns)):
        values = [row[index] for row in rows if row[index] is not None]
        numbers = all(_is_number(value) for value in values)
        sides.append("right" if values and numbers else "left")
    return tuple(sides)


def _is_number(value: object) -> bool:
    # Not numbers.Number, which includes bool.
    has_shape = bool(getattr(value, "shape", ()))
    return not isinstance(value, bool) and hasattr(value, "__float__") and not has_shape


def _text(value: object, form: Format | None) -> str:
    if value is None:
        return "–"
    if form is not None:
        return form(value)  # type: ignore[arg-type]
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return readable(value, 4)
    return " ".join(str(value).split())


def _rounded(x: float) -> float:
    """Return `x` with three significant digits, which turns 999.9 ms into 1.00 s."""
    return float(f"{x:.2e}")


def _three_digits(x: float) -> str:
    value = _rounded(x)
    if value == 0 or abs(value) < 1e-3:
        return readable(value, 3)
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}"
