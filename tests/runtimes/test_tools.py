"""Netron, and vector instructions in processes of their own."""

from __future__ import annotations

import sys
import urllib.request

import pytest
import torch
from torch import nn

from hpml.runtimes import (
    NotInstalledError,
    RuntimesError,
    available_levels,
    compare_vector_instructions,
    export_onnx,
    netron_page,
)


def test_netron_serves_this_machine_alone_and_stops(tmp_path) -> None:
    path = export_onnx(nn.ReLU(), torch.ones(2)).save(tmp_path / "relu.onnx")
    with netron_page(path) as address:
        assert address.startswith("http://127.0.0.1:")
        assert b"<title>Netron" in urllib.request.urlopen(address, timeout=20).read()
    with pytest.raises(OSError):
        urllib.request.urlopen(address, timeout=20)


def test_netron_needs_a_file_and_to_be_installed(tmp_path, monkeypatch) -> None:
    with pytest.raises(RuntimesError, match="save it first"), netron_page(tmp_path / "none.onnx"):
        pass
    monkeypatch.setitem(sys.modules, "netron", None)
    (tmp_path / "some.onnx").write_bytes(b"")
    with pytest.raises(NotInstalledError, match="netron"), netron_page(tmp_path / "some.onnx"):
        pass


def test_each_level_of_vector_instructions_is_measured_in_a_process_of_its_own() -> None:
    before = torch.backends.cpu.get_cpu_capability()
    measured = compare_vector_instructions("gelu", 1000)
    assert tuple(measured.names) == available_levels()
    assert torch.backends.cpu.get_cpu_capability() == before
