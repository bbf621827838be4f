from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hpml.base.optional import NOT_INSTALLED, import_optional, why_unavailable

if TYPE_CHECKING:
    from pathlib import Path

BROKEN = {
    "AttributeError": "import json\njson.no_such_name",
    "OSError": "raise OSError('libcudart.so.13: cannot open shared object file')",
    "RuntimeError": "raise RuntimeError('built for another version')",
}


@pytest.mark.parametrize("error", BROKEN)
def test_whatever_fails_in_an_optional_package_is_a_reason(
    error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"broken_by_{error.lower()}"
    count = tmp_path / "count"
    (tmp_path / f"{name}.py").write_text(
        f"with open({str(count)!r}, 'a') as f: f.write('x')\n{BROKEN[error]}\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for _ in range(2):  # the second is the answer of the first
        assert error in str(import_optional(name))
    assert count.read_text(encoding="utf-8") == "x"
    reason = why_unavailable("json", name)
    assert reason.startswith(f"{name} is not available here, because importing {name} raises")


def test_a_missing_package_is_not_a_broken_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert import_optional("installed_later") == NOT_INSTALLED
    (tmp_path / "installed_later.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert why_unavailable("installed_later") == ""


def test_a_package_that_another_one_needs_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "needs_another.py").write_text("import no_such_package", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert "no_such_package" in why_unavailable("needs_another")
    assert "it is not installed" not in why_unavailable("needs_another")


def test_a_missing_part_of_an_installed_package_is_named() -> None:
    assert "ModuleNotFoundError" in why_unavailable("json.no_such_part")
