#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
namespace nb = nanobind;

using Array = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

double sum2d(Array a) {
    double result = 0.0;
    for (size_t i = 0; i < a.shape(0); i++)
        for (size_t j = 0; j < a.shape(1); j++)
            result += a(i, j);
    return result;
}

NB_MODULE(sum2d_nano, m) {
    m.def("sum2d", &sum2d, nb::arg("a").noconvert());
    m.def("sum2d_nogil", &sum2d, nb::arg("a").noconvert(),
          nb::call_guard<nb::gil_scoped_release>());
}
