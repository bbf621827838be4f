#include <Python.h>

/* The method: a C function that gets Python objects and returns one. */
static PyObject *print_hello_world(PyObject *self, PyObject *args) {
    PySys_WriteStdout("Hello World\n");
    Py_RETURN_NONE;
}

/* The method table: the methods' names, and how they take arguments. */
static PyMethodDef methods[] = {
    {"print_hello_world", print_hello_world, METH_NOARGS,
     "Print 'hello world' from a method defined in a C extension."},
    {NULL, NULL, 0, NULL}
};

/* The module definition: name, docstring and table. */
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "hello_module",
    "A Python module that prints 'hello world' from C code.", -1, methods
};

/* The initialisation: `import` calls it. */
PyMODINIT_FUNC PyInit_hello_module(void) {
    return PyModule_Create(&definition);
}
