"""Compare contenders at several sizes in the same rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from hpml.benchmark.comparison import Comparison
from hpml.benchmark.sampling.rounds import compare


def compare_sizes(
    contenders_at: Callable[[int], Mapping[str, Callable[[], object]]],
    sizes: Iterable[int],
    *,
    baseline: str | None = None,
    check: Callable[[Mapping[str, object]], None] | None = None,
    **options: Any,
) -> dict[int, Comparison]:
    """Measure contenders at several sizes, all in the same rounds; return a comparison per size.

    A machine's speed drifts within seconds. If the sizes were measured one after the other, that
    drift would look like growth. See `hpml.benchmark.paired.seconds_at` for times of one scale.

    Args:
        contenders_at: returns the functions to measure at a size, by name.
        sizes: the sizes, or other integers by which the contenders differ.
        baseline: the name of the baseline at each size; by default the first contender.
        check: called with the results of each size; see `compare`.
        options: other options of `compare`.

    >>> found = compare_sizes(lambda n: {"sum": lambda: sum(range(n))}, [10, 1000], rounds=7,
    ...                       min_sample_time=1e-4)
    >>> list(found), found[10].names
    ([10, 1000], ('sum',))
    """
    made = {size: contenders_at(size) for size in sizes}
    end = ", {}" if len(made) > 1 else ""
    labels = {n: {name: name + end.format(n) for name in runs} for n, runs in made.items()}
    flat = {labels[size][name]: run for size, runs in made.items() for name, run in runs.items()}

    def check_each(results: Mapping[str, object]) -> None:
        for named in labels.values():
            if check is not None:
                check({name: results[label] for name, label in named.items()})

    found = compare(flat, check=check_each if check else None, stop_early=False, **options)
    split = {}
    for size, named in labels.items():
        own = tuple(replace(found[label], name=name) for name, label in named.items())
        split[size] = replace(found, measurements=own, baseline=baseline or own[0].name)
    return split
