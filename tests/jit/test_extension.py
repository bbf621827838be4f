from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hpml.jit import CompileError, JitError, NoCompilerError, build_extension, find_compiler
from hpml.jit import extension as building
from tests.parts import raises

pytestmark = pytest.mark.needs("C compiler")

HELLO = """
#include <Python.h>

static PyObject *greet(PyObject *self, PyObject *arguments)
{
    const char *name;
    if (!PyArg_ParseTuple(arguments, "s", &name)) return NULL;
    return PyUnicode_FromFormat("Hello, %s!", name);
}

static PyMethodDef methods[] = {
    {"greet", greet, METH_VARARGS, "Greet somebody."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "hello", NULL, -1, methods};

PyMODINIT_FUNC PyInit_hello(void) { return PyModule_Create(&definition); }
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HPML_CACHE", str(tmp_path))
    return tmp_path


def test_the_module_of_the_lecture() -> None:
    hello = build_extension(HELLO, "hello")
    assert hello.greet("Ada") == "Hello, Ada!"
    assert hello.greet.__doc__ == "Greet somebody."
    with pytest.raises(TypeError):
        hello.greet(3)
    assert "hello" not in sys.modules


def test_what_was_built_once_is_found_again(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    first = build_extension(HELLO, "hello")
    monkeypatch.setattr(building, "_build", lambda *_: pytest.fail("it compiled again"))
    assert build_extension(HELLO, "hello").__file__ == first.__file__
    with pytest.raises(pytest.fail.Exception):
        build_extension(HELLO, "hello", flags=["-O0"])
    assert [path.name.startswith(".") for path in (cache / "extensions").iterdir()] == [False]


def test_a_folder_of_ones_own(tmp_path: Path, cache: Path) -> None:
    hello = build_extension(HELLO, "hello", folder=tmp_path / "mine")
    assert Path(str(hello.__file__)).parents[1] == tmp_path / "mine"
    assert not (cache / "extensions").exists()


def test_two_versions_of_one_name_beside_each_other() -> None:
    english = build_extension(HELLO, "hello")
    german = build_extension(HELLO.replace("Hello", "Hallo"), "hello")
    assert (english.greet("Ada"), german.greet("Ada")) == ("Hello, Ada!", "Hallo, Ada!")


def test_an_error_of_the_compiler_is_shown_with_its_line(cache: Path) -> None:
    shown = ("hello.c:7", "PyArg_ParseTuple(arguments")
    with raises(CompileError, object="hello.c", received=shown) as caught:
        build_extension(HELLO.replace("const char *name;", "const char *nmae;"), "hello")
    assert caught.value.received in str(caught.value)
    assert str(cache) not in str(caught.value)
    assert "Traceback" not in str(caught.value)
    assert list((cache / "extensions").iterdir()) == []


def test_a_flag_that_the_compiler_does_not_know() -> None:
    with pytest.raises(CompileError):
        build_extension(HELLO, "hello", flags=["-fno-such-thing"])


def test_flags_reach_the_linker() -> None:
    source = HELLO.replace("Python.h>", "Python.h>\nconst char *not_defined(void);")
    source = source.replace('!", name', '%s", name, not_defined()')
    with raises(JitError, object="hello", received="not_defined"):
        build_extension(source, "hello")
    with raises(CompileError, object="hello.c", received="nosuchlibrary"):
        build_extension(HELLO, "hello", flags=["-lnosuchlibrary"])


@pytest.mark.parametrize("variable", ["CFLAGS", "CPPFLAGS"])
def test_what_the_environment_says_is_part_of_what_was_built(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    source = HELLO.replace('"Hello, %s!", name', "WORD")
    for word in ("one", "two"):
        monkeypatch.setenv(variable, f"-DWORD='\"{word}\"'")
        assert build_extension(source, "hello").greet("Ada") == word


@pytest.mark.filterwarnings("ignore:compiling")
def test_a_module_that_python_cannot_import() -> None:
    with raises(JitError, object="hello", received="PyInit_hello", remedy="static"):
        build_extension(
            HELLO.replace("PyMODINIT_FUNC PyInit_", "static PyObject *PyInit_"), "hello"
        )


@pytest.mark.filterwarnings("ignore:compiling")
def test_a_module_without_the_function_of_its_name_is_refused() -> None:
    with raises(JitError, object="other", received="PyInit_other"):
        build_extension(HELLO, "other")


def test_the_compiler_that_is_there_builds_whatever_python_was_built_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = tmp_path / "path"
    place.mkdir()
    tools = {"clang": find_compiler(), "as": "as", "ld": "ld"}
    for name, tool in tools.items():
        (place / name).symlink_to(shutil.which(str(tool)) or "/nowhere")
    monkeypatch.setenv("PATH", str(place))
    monkeypatch.delenv("CC", raising=False)
    assert find_compiler() == "clang"
    assert build_extension(HELLO, "hello").greet("Ada") == "Hello, Ada!"


def test_without_a_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    assert find_compiler() is None
    with raises(NoCompilerError, object="build_extension", expected="C compiler", remedy="gcc"):
        build_extension(HELLO, "hello")


def test_without_the_headers_of_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(building.sysconfig, "get_paths", lambda: {"include": str(tmp_path)})
    with raises(NoCompilerError, object="build_extension", received="Python.h", remedy="-dev"):
        build_extension(HELLO, "hello")


def test_a_build_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object) -> None:
        raise subprocess.TimeoutExpired("compiler", 7)

    monkeypatch.setattr(building, "ask", endless)
    with raises(CompileError, object="hello.c", expected="7 s", remedy="flags"):
        build_extension(HELLO, "hello")


def test_a_build_that_leaves_no_library_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(building, "_build", lambda *_: None)
    with raises(CompileError, object="hello", received="none", remedy="again"):
        build_extension(HELLO, "hello", folder=tmp_path)


UNDECLARED = """
#include <Python.h>
static PyObject *f(PyObject *self, PyObject *x) { return PyFloat_FromDouble(unknown(2.0)); }
static PyMethodDef methods[] = {{"f", f, METH_O, ""}, {0}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "m", "", -1, methods};
PyMODINIT_FUNC PyInit_m(void) { int unused; return PyModule_Create(&definition); }
"""


def test_warnings_are_shown_and_what_is_not_declared_is_an_error(tmp_path: Path) -> None:
    with raises(CompileError, object="m.c", received="unknown"):
        build_extension(UNDECLARED, "m", folder=tmp_path)
    with pytest.warns(UserWarning, match="-Wunused"):
        build_extension(UNDECLARED.replace("unknown", ""), "m", flags=["-Wall"], folder=tmp_path)
    (tmp_path / "file").write_text("")
    with raises(JitError, object="folder of build_extension", received=str(tmp_path / "file")):
        build_extension(UNDECLARED, "m", folder=tmp_path / "file" / "folder")


@pytest.mark.parametrize("flags", ["-O3", [3], None])
def test_flags_that_are_no_list_of_texts_are_refused(flags: object, tmp_path: Path) -> None:
    """A text is a sequence of letters, which the compiler would get one by one."""
    with pytest.raises(JitError) as caught:
        build_extension(HELLO, "hello", flags=flags, folder=tmp_path)  # type: ignore[arg-type]
    assert not isinstance(caught.value, CompileError)
