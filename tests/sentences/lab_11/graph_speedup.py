SAYS: dict[str, str] = {
    "Write `graph_speedup(n, launch, kernel)`.": "the name and the parameters, as in the stub",
    "You may use your `timeline`.": "a permission",
    "`graph_speedup(6, 10.0, 4.0)` is 64 / 34, about 1.88.": "an example, which is a case",
}


def _eager(n, launch, kernel):
    return launch + kernel + (n - 1) * max(launch, kernel)


def _graph(n, launch, kernel):
    return launch + n * kernel


def share_of_the_time(n, launch, kernel):
    """how many times as fast a graph of `n` equal kernels is"""
    return _graph(n, launch, kernel) / _eager(n, launch, kernel)


def time_saved(n, launch, kernel):
    """how many times as fast a graph of `n` equal kernels is"""
    return _eager(n, launch, kernel) - _graph(n, launch, kernel)


def rounded(n, launch, kernel):
    """how many times as fast a graph of `n` equal kernels is"""
    return round(_eager(n, launch, kernel) / _graph(n, launch, kernel), 3)


def whole_number(n, launch, kernel):
    """how many times as fast a graph of `n` equal kernels is"""
    return _eager(n, launch, kernel) // _graph(n, launch, kernel)


def times_as_many_percent(n, launch, kernel):
    """how many times as fast a graph of `n` equal kernels is"""
    return 100 * _eager(n, launch, kernel) / _graph(n, launch, kernel)


def two_kernels_at_least(n, launch, kernel):
    """how many times as fast a graph of `n` equal kernels is"""
    longest = max(launch, kernel)
    return (launch + longest + (n - 2) * longest + kernel * (n > 1)) / _graph(n, launch, kernel)


def a_thousand_at_most(n, launch, kernel):
    """how many times as fast a graph of `n` equal kernels is"""
    n = min(n, 1000)
    return _eager(n, launch, kernel) / _graph(n, launch, kernel)


def no_overlap(n, launch, kernel):
    """compared with launching them one by one"""
    return n * (launch + kernel) / _graph(n, launch, kernel)


def always_launch_bound(n, launch, kernel):
    """compared with launching them one by one"""
    return (n * launch + kernel) / _graph(n, launch, kernel)


def always_compute_bound(n, launch, kernel):
    """compared with launching them one by one"""
    return max(1.0, (n * launch) / _graph(n, launch, kernel))


def ends_forgotten(n, launch, kernel):
    """compared with launching them one by one"""
    return n * max(launch, kernel) / _graph(n, launch, kernel)


def fails_if_kernels_cost_nothing(n, launch, kernel):
    """compared with launching them one by one"""
    return (launch / kernel + 1 + (n - 1) * max(launch / kernel, 1)) / (launch / kernel + n)


def fails_if_launches_cost_nothing(n, launch, kernel):
    """compared with launching them one by one"""
    return (1 + kernel / launch + (n - 1) * max(1, kernel / launch)) / (1 + n * kernel / launch)


def one_if_something_costs_nothing(n, launch, kernel):
    """compared with launching them one by one"""
    if not launch or not kernel:
        return 1.0
    return _eager(n, launch, kernel) / _graph(n, launch, kernel)


def small_times_are_0(n, launch, kernel):
    """compared with launching them one by one"""
    if kernel < 1e-9:
        return float(n)
    return _eager(n, launch, kernel) / _graph(n, launch, kernel)


def free_graph(n, launch, kernel):
    """A graph costs one launch, then its kernels run without a gap."""
    return _eager(n, launch, kernel) / (n * kernel or launch)


def a_launch_for_each(n, launch, kernel):
    """A graph costs one launch, then its kernels run without a gap."""
    return _eager(n, launch, kernel) / (n * launch + kernel)


def kernels_during_the_launch(n, launch, kernel):
    """A graph costs one launch, then its kernels run without a gap."""
    return _eager(n, launch, kernel) / max(launch, n * kernel)


def one_kernel_in_the_graph(n, launch, kernel):
    """A graph costs one launch, then its kernels run without a gap."""
    return _eager(n, launch, kernel) / (launch + kernel)
