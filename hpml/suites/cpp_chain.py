"""The deep linear network in C++: PyTorch's own operator in a loop, and nothing of Python between.

What is left of the time then is what PyTorch's operators themselves take: asking for the dtype,
allocating the result, recording for the gradients. Thirty lines show what Python adds to that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

SOURCE = r"""
#include <Python.h>
#include <ATen/ATen.h>
#include <torch/csrc/autograd/python_variable.h>

/* forward(x, layers): linear after linear, over the dictionaries of live parameters. */
static PyObject *forward(PyObject *self, PyObject *arguments)
{
    PyObject *x, *layers;
    if (!PyArg_ParseTuple(arguments, "OO!", &x, &PyList_Type, &layers)) return NULL;
    if (!THPVariable_Check(x)) {
        PyErr_SetString(PyExc_TypeError, "expected a tensor");
        return NULL;
    }
    try {
        at::Tensor h = THPVariable_Unpack(x);
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(layers); ++i) {
            PyObject *parameters = PyList_GET_ITEM(layers, i);
            PyObject *weight = PyDict_GetItemString(parameters, "weight");
            PyObject *bias = PyDict_GetItemString(parameters, "bias");
            if (!weight || !bias || !THPVariable_Check(weight) || !THPVariable_Check(bias)) {
                PyErr_SetString(PyExc_TypeError, "expected a weight and a bias of each layer");
                return NULL;
            }
            h = at::linear(h, THPVariable_Unpack(weight), THPVariable_Unpack(bias));
        }
        return THPVariable_Wrap(h);
    } catch (const std::exception &error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
        return NULL;
    }
}

static PyMethodDef methods[] = {
    {"forward", forward, METH_VARARGS, "Apply linear layers one after the other."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "cpp_chain", NULL, -1, methods};

PyMODINIT_FUNC PyInit_cpp_chain(void) { return PyModule_Create(&definition); }
"""


def cpp_chain(layers: Sequence[Any]) -> Callable[[Any], Any]:
    """Return the forward of a chain of `torch.nn.Linear` that runs in C++."""
    import torch
    from torch.utils.cpp_extension import include_paths, library_paths

    from hpml.jit import build_extension

    flags = [
        "-O3",
        "-std=c++20",
        f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}",
    ]
    module = build_extension(
        SOURCE,
        "cpp_chain",
        language="c++",
        flags=[*flags, *(f"-I{path}" for path in include_paths())],
        link_flags=[
            *(f"-L{path}" for path in library_paths()),
            *("-lc10", "-ltorch_cpu", "-ltorch", "-ltorch_python"),
        ],
    )
    parameters = [layer._parameters for layer in layers]
    return lambda x: module.forward(x, parameters)
