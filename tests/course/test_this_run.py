from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hpml.course.this_run import compiler_of_this_run
from hpml.jit import compilers, find_compiler, find_cpp_compiler

if TYPE_CHECKING:
    from pathlib import Path


def test_a_compiler_for_c_alone_is_none_for_torch_compile(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("gcc", "g++-13"):
        (tmp_path / name).write_text("#!/bin/sh\n: > made\n", encoding="ascii")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(compilers, "_inductor_refusal", lambda key: "")
    for variable in ("CC", "CXX", "HPML_QUICK"):
        monkeypatch.delenv(variable, raising=False)
    assert (find_compiler(), find_cpp_compiler()) == ("gcc", None)
    options, why = compiler_of_this_run()
    assert options == {"backend": "aot_eager"}
    assert f"there is no {compilers._cpp_command()} here" in why
    monkeypatch.setenv("CXX", "g++-13")
    assert find_cpp_compiler() == "g++-13"
    assert compiler_of_this_run()[0] == {}


def test_a_short_run_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hpml.jit.why_not_inductor", lambda: "")
    for value, options in (("1", {"backend": "aot_eager"}), ("0", {})):
        monkeypatch.setenv("HPML_QUICK", value)
        assert compiler_of_this_run()[0] == options
