from __future__ import annotations

import gc
import platform
import sys
import tracemalloc
import weakref

import numpy as np
import pytest
import torch
from torch import nn

from hpml.course.labs.lab_03_memory import blocks
from hpml.profiling import work_of
from tests.causes.shown import DEFINITION, DESIGN, Shown, Source, python
from tests.questions import lab_03

MAPS = """
import ctypes
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.restype, libc.free.argtypes = None, [ctypes.c_void_p]
def part(address):
    for line in open('/proc/self/maps'):
        begin, end = (int(p, 16) for p in line.split()[0].split('-'))
        if begin <= address < end:
            return 'heap' if '[heap]' in line else 'mapped'
    return 'gone'
for size in SIZES:
    for turn in range(3):
        block = libc.malloc(size)
        where = part(block)
        libc.free(block)
        print(where, part(block))
"""


def a_fixed_threshold_maps_every_large_block() -> None:
    """The same requests with the threshold as it is and with a fixed one."""
    if not blocks.has_glibc():
        pytest.skip("needs Linux with glibc")
    usual, fixed = blocks.in_turn([8, 8, 31, 31, 33, 33]), blocks.in_turn([8, 8], fixed=True)
    mapped, heap = "mapped memory", "heap"
    assert [place for place, _ in usual] == [mapped, heap, mapped, heap, mapped, mapped]
    assert usual[1][1] > 7 > 1 > abs(usual[0][1])
    assert [place for place, _ in fixed] == [mapped] * 2
    assert max(abs(kept) for _, kept in fixed) < 1


def a_small_request_is_mapped_from_128_kib_on() -> None:
    """The first request of a new process, just below and just above the threshold."""
    if platform.libc_ver()[0] != "glibc":
        pytest.skip("needs Linux with glibc")
    below, above = (
        python(MAPS.replace("SIZES", f"[{size}]").replace("range(3)", "range(1)")).stdout.split()
        for size in (127 * 1024, 129 * 1024)
    )
    assert below[0] == "heap"
    assert above == ["mapped", "gone"]


def a_free_part_of_the_heap_serves_a_large_request() -> None:
    """A request of 64 MiB with and without a free part of the heap that is larger."""
    if platform.libc_ver()[0] != "glibc":
        pytest.skip("needs Linux with glibc")
    code = (
        MAPS.partition("for size in SIZES")[0]
        + """
MIB = 2 ** 20
libc.free(libc.malloc(30 * MIB))  # from now on such a request is served from the heap
blocks = [libc.malloc(30 * MIB) for _ in range(3)]
last = libc.malloc(MIB)  # above them, so that the heap cannot shrink
print(part(libc.malloc(64 * MIB)))
for block in blocks: libc.free(block)
print(part(libc.malloc(64 * MIB)), part(libc.malloc(64 * MIB)))
"""
    )
    assert python(code).stdout.split() == ["mapped", "heap", "mapped"]


def an_older_generation_is_collected_less_often() -> None:
    """Lists that are all kept, and dropped: how often each generation is collected."""
    the_collector_counts_made_minus_freed()
    code = """
import gc
gc.collect(); gc.freeze()
seen = []
gc.callbacks.append(lambda phase, info: seen.append(info['generation']) if phase == 'stop' else 0)
kept = [[number] for number in range(300_000)]
print(*(seen.count(generation) for generation in range(3)))
"""
    youngest, middle, oldest = map(int, python(code).stdout.split())
    assert youngest > 5 * middle > 25 * oldest > 0


def the_oldest_generation_waits_for_a_quarter() -> None:
    """How often the oldest is collected while 400,000 lists are made beside many and beside few."""
    code = """
import gc
old = [[number] for number in range(OLD)]
gc.collect()
seen = []
gc.callbacks.append(lambda phase, info: seen.append(info['generation']) if phase == 'stop' else 0)
kept = [[number] for number in range(400_000)]
print(seen.count(2))
"""
    few, many = (int(python(code.replace("OLD", each)).stdout) for each in ("0", "2_000_000"))
    assert few > 0 == many


def since_312_none_is_not_counted() -> None:
    """The count of None before and after a thousand more references."""
    before = sys.getrefcount(None)
    more = [None] * 1000
    counted = sys.getrefcount(None) - before
    assert counted == 0 if sys.version_info >= (3, 12) else counted >= len(more) - 100


def the_products_block_is_as_large_as_the_weights() -> None:
    """One update of a parameter, with the product and with alpha."""
    parameter, gradient = torch.rand(1000, 200), torch.rand(1000, 200)
    assert work_of(lambda: 1e-4 * gradient).bytes == parameter.nbytes
    assert work_of(lambda: parameter.sub_(gradient, alpha=1e-4)).bytes == 0


def _parts(*mib: int) -> list[list[str]]:
    if platform.libc_ver()[0] != "glibc":
        pytest.skip("needs Linux with glibc")
    done = python(MAPS.replace("SIZES", repr([size * 2**20 for size in mib])))
    assert done.returncode == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines()]


def a_large_block_is_mapped_and_a_medium_one_only_at_first() -> None:
    """The same request three times, of 8 MiB and of 64 MiB."""
    eight = _parts(8)
    assert eight[0] == ["mapped", "gone"]
    assert eight[1][0] == eight[2][0] == "heap"
    assert _parts(64) == [["mapped", "gone"]] * 3
    assert _parts(40) == [["mapped", "gone"]] * 3, "32 MiB and more"


def a_page_counts_when_it_is_written() -> None:
    """100 MiB requested, not written and then written."""
    if not sys.platform.startswith("linux"):
        pytest.skip("needs Linux")
    code = """
import mmap
def now(): return 4 * int(open('/proc/self/statm').read().split()[1])
start = now(); block = mmap.mmap(-1, 100 * 2**20); asked = now()
for page in range(0, len(block), 4096): block[page] = 1
print(asked - start, now() - start)
"""
    asked, written = map(int, python(code).stdout.split())
    assert asked < 10_000
    assert written > 90_000


def del_is_called_when_the_count_is_zero() -> None:
    """An object whose last reference disappears, and one with another reference."""
    seen = []

    class Watched:
        def __del__(self) -> None:
            seen.append(1)

    one = Watched()
    other = one
    del one
    assert seen == []
    del other
    assert seen == [1]


def del_may_store_its_object() -> None:
    """Two objects whose last reference disappears; one stores itself first."""
    kept = []

    class Watched:
        def __init__(self, store: bool) -> None:
            self.store = store

        def __del__(self) -> None:
            if self.store:
                kept.append(self)

    for store in (True, False):
        gone = weakref.ref(Watched(store))
        assert (gone() is not None) == store
    assert [type(each) for each in kept] == [Watched]
    kept[0].store = False


def the_collector_counts_made_minus_freed() -> None:
    """Twice as many lists as start a collection, made and dropped, and made and kept."""
    code = """
import gc
gc.collect(); gc.freeze()
def collections(): return sum(each['collections'] for each in gc.get_stats())
before = collections()
for _ in range(2 * gc.get_threshold()[0]): [[]]
dropped = collections() - before
kept = [[] for _ in range(2 * gc.get_threshold()[0])]
print(dropped, collections() - before - dropped)
"""
    dropped, kept = map(int, python(code).stdout.split())
    assert dropped == 0
    assert kept > 0


def the_collector_does_not_know_an_array_of_objects() -> None:
    """An array of objects and a list, each of which holds itself and another object."""
    code = """
import gc, weakref
import numpy as np
class Held: pass
for make in (lambda: [None, None], lambda: np.empty(2, object)):
    cycle, held = make(), Held()
    cycle[0], cycle[1] = cycle, held
    gone = weakref.ref(held)
    del cycle, held
    gc.collect()
    print(gone() is None)
"""
    assert python(code).stdout.split() == ["True", "False"]


def a_large_array_may_appear_after_its_line() -> None:
    """The same line twice: 20 MB are allocated and freed in it."""
    if platform.libc_ver()[0] != "glibc":
        pytest.skip("needs Linux with glibc")
    code = """
import numpy as np
def now(): return 4 * int(open('/proc/self/statm').read().split()[1])
np.ones(10).sum(); start = now()
np.ones(2_500_000).sum(); first = now()
np.ones(2_500_000).sum(); second = now()
np.ones(2_500_000).sum(); third = now()
print(first - start, second - first, third - second)
"""
    first, second, third = map(int, python(code).stdout.split())
    assert max(first, third) < 5_000 < 15_000 < second


def the_stack_of_a_thread_may_be_kept() -> None:
    """Whether a region holds a thread's stack, while it runs and after it has ended."""
    if platform.libc_ver()[0] != "glibc":
        pytest.skip("needs Linux with glibc")
    code = """
import ctypes, threading
libc, where = ctypes.CDLL(None), []
def mapped():
    for line in open('/proc/self/maps'):
        begin, end = (int(part, 16) for part in line.split()[0].split('-'))
        if begin <= where[0] < end: return True
    return False
def run():
    attributes = ctypes.create_string_buffer(128)
    base, size = ctypes.c_void_p(), ctypes.c_size_t()
    libc.pthread_getattr_np(ctypes.c_ulong(threading.get_ident()), attributes)
    libc.pthread_attr_getstack(attributes, ctypes.byref(base), ctypes.byref(size))
    where.append(base.value + size.value - 4096)
    print(mapped())
thread = threading.Thread(target=run); thread.start(); thread.join()
print(mapped())
"""
    assert python(code).stdout.split() == ["True", "True"]


def an_object_that_is_kept_for_reuse_is_not_reported() -> None:
    """A new float while Python has kept floats, and three hundred, which it has not."""
    numbers = [float(n) for n in range(50)]
    del numbers
    tracemalloc.start()
    try:
        reused, many = float("1.25"), [float(str(n)) for n in range(300)]
        assert tracemalloc.get_object_traceback(reused) is None
        assert tracemalloc.get_object_traceback(many[-1]) is not None
    finally:
        tracemalloc.stop()


def a_cycle_outlives_its_last_name() -> None:
    """The same object with and without a reference to itself; the collector is off."""

    class Ring:
        me: Ring

    gc.disable()
    try:
        alive = []
        for cyclic in (False, True):
            ring = Ring()
            if cyclic:
                ring.me = ring
            gone = weakref.ref(ring)
            del ring
            alive.append(gone() is not None)
            kept = gone
        assert alive == [False, True]
        gc.collect()
        assert kept() is None
    finally:
        gc.enable()


def zero_grad_frees_the_gradients() -> None:
    """The default, and the old behaviour that keeps the memory."""
    for to_none in (True, False):
        layer = nn.Linear(3, 2)
        layer(torch.rand(1, 3)).sum().backward()
        assert layer.weight.grad is not None
        before = layer.weight.grad.data_ptr()
        layer.zero_grad(set_to_none=to_none)
        assert (layer.weight.grad is None) == to_none
        if not to_none:
            layer(torch.rand(1, 3)).sum().backward()
            assert layer.weight.grad is not None
            assert layer.weight.grad.data_ptr() == before


@pytest.mark.thorough
def tracemalloc_does_not_see_pytorch() -> None:
    """Four MiB by NumPy and by PyTorch."""
    seen = {}
    for name, make in (
        ("NumPy", lambda: np.ones(2**20, np.float32)),
        ("PyTorch", lambda: torch.ones(2**20)),
    ):
        make()
        tracemalloc.start()
        kept = make()
        seen[name] = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        del kept
    assert seen["NumPy"] >= 2**22
    assert seen["PyTorch"] < 2**16
    assert work_of(lambda: torch.ones(2**20)).bytes == 2**22


def autograd_keeps_an_input_that_the_program_dropped() -> None:
    """A product that needs the gradient of w, and one that needs none."""
    for needs in (True, False):
        kept: list[int] = []
        x, w = torch.rand(2, 3), torch.rand(3, 4, requires_grad=needs)
        with torch.autograd.graph.saved_tensors_hooks(
            lambda tensor, kept=kept: kept.append(tensor.data_ptr()) or tensor,
            lambda tensor: tensor,
        ):
            y = x @ w
        assert (x.data_ptr() in kept) == needs
        expected = x.sum(0)
        del x
        if needs:
            y.sum().backward()
            assert torch.allclose(w.grad, expected[:, None].expand(3, 4))


def gelu_has_two_slopes_for_one_result() -> None:
    """Two inputs with the same result; for tanh the result fixes the slope."""
    x = torch.linspace(-4, 0, 400_001, dtype=torch.float64, requires_grad=True)
    y = nn.functional.gelu(x)
    (slope,) = torch.autograd.grad(y.sum(), x)
    low = int(y.argmin())
    left = int((y[:low] - y[low + 50_000]).abs().argmin())
    assert torch.isclose(y[left], y[low + 50_000], atol=1e-6)
    assert slope[left] < -0.01 < 0.01 < slope[low + 50_000]
    t = torch.tanh(x)
    (slope,) = torch.autograd.grad(t.sum(), x)
    assert torch.allclose(slope, 1 - t.detach() ** 2)


def some_writes_are_not_counted() -> None:
    """One change of a saved result, made in three ways."""
    gradients = {}
    for way in ("in place", "data", "NumPy"):
        weight = torch.ones(3, requires_grad=True)
        hidden = torch.tanh(weight)
        if way == "in place":
            hidden.mul_(2)
            with pytest.raises(RuntimeError, match="inplace"):
                hidden.sum().backward()
            continue
        if way == "data":
            hidden.data.mul_(2)
        else:
            hidden.detach().numpy()[:] *= 2
        hidden.sum().backward()
        gradients[way] = weight.grad
    right = 1 - torch.tanh(torch.ones(3)) ** 2
    for wrong in gradients.values():
        assert wrong is not None
        assert not torch.allclose(wrong, right)
    weight = torch.ones(3, requires_grad=True)
    hidden = weight * 2
    hidden.mul_(2)
    hidden.sum().backward()


SHOWN: dict[str, Shown] = {
    "The addresses of the blocks from `malloc` are lost, so nothing can free them any more.": (
        DEFINITION
    ),
    "So a leak can stay invisible for long.": a_page_counts_when_it_is_written,
    "Python calls that first, so we can watch.": del_is_called_when_the_count_is_zero,
    "So Python also has a **collector**.": a_cycle_outlives_its_last_name,
    "So the cell first trains two steps unprofiled (printed: step, loss).": DESIGN,
    "`zero_grad` frees them, so the next step allocates them again; the increments of five steps "
    "are added up.": zero_grad_frees_the_gradients,
    "So `work_of` counts the bytes of new results instead.": tracemalloc_does_not_see_pytorch,
    "So it keeps `x`, even when your program no longer refers to it.": (
        autograd_keeps_an_input_that_the_program_dropped
    ),
    "- GELU saves its *input* instead, because its slope cannot be computed from the result.": (
        gelu_has_two_slopes_for_one_result
    ),
    "So PyTorch keeps freed memory and reuses it: the **caching allocator**.": Source(
        "https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management"
    ),
    "Bytes follow from rules, so they can be predicted exactly.": DEFINITION,
}
ALSO: dict[str, Shown] = {
    "Linux's usual C library, glibc, maps a request that is larger than a threshold, unless a free "
    "part of its heap has room.": a_free_part_of_the_heap_serves_a_large_request,
    "The threshold is 128 KiB at first.": a_small_request_is_mapped_from_128_kib_on,
    "When a mapped block is freed, glibc takes its size as the new threshold, up to 32 MiB.": (
        a_fixed_threshold_maps_every_large_block
    ),
    "It expects that such a request comes again, and then no system call and no new pages are "
    "needed.": Source("https://man7.org/linux/man-pages/man3/mallopt.3.html, M_MMAP_THRESHOLD"),
    "On a CPU PyTorch asks the C library instead, which on Linux may keep freed blocks on its "
    "heap (section 2).": a_large_block_is_mapped_and_a_medium_one_only_at_first,
    "`1e-4 * param.grad.data` is a temporary tensor as large as the weights; "
    "today's `param.sub_(param.grad, alpha=1e-4)`, under `torch.no_grad()`, needs none.": (
        the_products_block_is_as_large_as_the_weights
    ),
    "With `PYTORCH_ALLOC_CONF=expandable_segments:True` a segment can grow at its end instead, so "
    "that sizes that vary from step to step fragment it less.": Source(
        "https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-"
        "pytorch-alloc-conf"
    ),
    "A write through `hidden.data` or through a NumPy array is not counted: then the gradient is "
    "wrong, without an error.": some_writes_are_not_counted,
    "It makes an array of all differences from the mean, uses it and drops it.": lab_03.question_2,
    "At zero it is freed at once, unless `__del__` stores it.": del_may_store_its_object,
    "The collector subtracts the references held by containers that it knows from each count, and "
    "frees what cannot be reached from outside. (It does not know NumPy's arrays.)": (
        the_collector_does_not_know_an_array_of_objects
    ),
    "The youngest is collected when enough more containers were made than freed, an older one "
    "after some collections of the one below.": an_older_generation_is_collected_less_often,
    "The oldest also waits until what is new to it is more than a quarter of the rest.": (
        the_oldest_generation_waits_for_a_quarter
    ),
    "(Since Python 3.12 a few objects, such as `None`, are not counted.)": (
        since_312_none_is_not_counted
    ),
    "A collection visits its generation and all younger ones.": Source(
        "https://github.com/python/cpython/blob/3.13/InternalDocs/garbage_collector.md"
        "#optimization-generations"
    ),
    "A large array that is allocated and freed *within* a line usually does not appear": (
        a_large_array_may_appear_after_its_line
    ),
    "A thread's stack is such a region too, mostly unused; the thread library maps it and may "
    "reuse it.": the_stack_of_a_thread_may_be_kept,
    "Python's allocators report to it every block that they hand out, and so does NumPy for its "
    "arrays.": an_object_that_is_kept_for_reuse_is_not_reported,
}
