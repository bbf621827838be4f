#include <Python.h>

static double add_up(const double *numbers, Py_ssize_t rows, Py_ssize_t columns) {
    double result = 0.0;
    for (Py_ssize_t i = 0; i < rows; i++)
        for (Py_ssize_t j = 0; j < columns; j++)
            result += numbers[i * columns + j];
    return result;
}

/* The argument can be any object: ask it for its buffer, and check axes and type. */
static int get_numbers(PyObject *object, Py_buffer *a) {
    if (PyObject_GetBuffer(object, a, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) return -1;
    if (a->ndim == 2 && a->format[0] == 'd') return 0;
    PyBuffer_Release(a);
    PyErr_SetString(PyExc_TypeError, "expected float64 with two axes");
    return -1;
}

static PyObject *sum2d(PyObject *module, PyObject *object) {
    Py_buffer a;
    if (get_numbers(object, &a) < 0) return NULL;
    double result = add_up(a.buf, a.shape[0], a.shape[1]);
    PyBuffer_Release(&a);
    return PyFloat_FromDouble(result);
}

static PyObject *sum2d_nogil(PyObject *module, PyObject *object) {
    Py_buffer a;
    double result;
    if (get_numbers(object, &a) < 0) return NULL;
    Py_BEGIN_ALLOW_THREADS  /* releases the lock */
    result = add_up(a.buf, a.shape[0], a.shape[1]);
    Py_END_ALLOW_THREADS    /* waits until it has the lock again */
    PyBuffer_Release(&a);
    return PyFloat_FromDouble(result);
}

static PyMethodDef methods[] = {
    {"sum2d", sum2d, METH_O, "Add up the numbers of an array."},
    {"sum2d_nogil", sum2d_nogil, METH_O, "Do the same without Python's lock."},
    {NULL, NULL, 0, NULL}
};

/* Multi-phase initialisation: `import` gets this description, and Python makes the module, one
   for each interpreter. The slots say what the module supports. Without the last one, a
   free-threaded Python switches its lock on when it imports the module. */
static PyModuleDef_Slot slots[] = {
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL}
};
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "sum2d", "Sums of arrays.", 0, methods, slots
};
PyMODINIT_FUNC PyInit_sum2d(void) { return PyModuleDef_Init(&definition); }
