from __future__ import annotations

import importlib
import sys
from types import SimpleNamespace

import pytest

from hpml.bytecode.errors import BytecodeError
from hpml.bytecode.object_header import object_header
from tests.parts import raises

# Not `import ... as`: the package has a function of that name.
module = importlib.import_module("hpml.bytecode.object_header")


def test_a_tensor_leads_to_its_numbers() -> None:
    import torch

    header = object_header(torch.tensor([1.5, 2.0]))
    assert header.agrees
    names = {field.name: field for field in header.fields}
    assert names["cdata"].check == "obj._cdata"
    assert names["element 0"].data.hex(" ") == "00 00 c0 3f"
    assert names["element 1"].value == "2, float32"
    inside = sum(field.size for field in header.fields if not field.via_pointer)
    assert inside + header.before == header.size


def test_tensors_without_numbers_to_read_are_shown_all_the_same() -> None:
    import torch

    matrix = torch.arange(6.0).reshape(2, 3)
    for tensor in (
        torch.ones(3, device="meta"),
        torch.ones(0),
        torch.ones(2, dtype=torch.bfloat16),
        matrix.T,
        matrix[:, 1],
        torch.nn.Parameter(torch.ones(2)),
        torch.eye(2).to_sparse(),
    ):
        assert object_header(tensor).agrees, tensor
    assert [f.value for f in object_header(matrix[1]).fields if f.via_pointer] == [
        "3, float32",
        "4, float32",
        "5, float32",
    ]


def test_a_subclass_is_shown_by_its_first_words_only() -> None:
    class Mine(int):
        pass

    names = [field.name for field in object_header(Mine(3)).fields]
    assert (names[0], names[-1]) == ("ob_refcnt", "ob_type")
    assert "not shown here" in str(object_header(Mine(3)))


def test_an_object_whose_repr_raises_is_shown() -> None:
    class Shy:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    assert "whose repr raises" in str(object_header(Shy()))


def test_a_page_has_a_box_for_every_byte() -> None:
    page = object_header(1000)._repr_html_()
    assert page.count("display: inline-block; width: 1.9em") == 28
    assert "✓ id(type(obj))" in page
    assert "<script>" not in object_header("<script>")._repr_html_()


def test_a_disagreement_is_shown_and_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "sys", SimpleNamespace(**{**vars(sys), "getrefcount": lambda _: 0}))
    header = object_header([1])
    assert not header.agrees
    assert "NOT by sys.getrefcount" in str(header)


@pytest.mark.parametrize(
    "change",
    [
        {"implementation": SimpleNamespace(name="pypy")},
        {"version_info": (3, 99, 0, "final", 0)},
        {"byteorder": "big"},
        {"getobjects": list},
    ],
)
def test_elsewhere_it_is_refused(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, object]
) -> None:
    monkeypatch.setattr(module, "sys", SimpleNamespace(**{**vars(sys), **change}))
    with raises(BytecodeError, object="object_header", expected="64-bit", received=sys.version):
        object_header(1)


def test_an_unknown_layout_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    read = module.ctypes.string_at
    monkeypatch.setattr(module.ctypes, "string_at", lambda *where: bytes(len(read(*where))))
    with raises(BytecodeError, object="'word'", expected="offset 8"):
        object_header("word")
