"""Lab 11: measuring what works on its own, and why small kernels wait for their launches.

``device`` (a queue made of a thread, and a GPU), ``explorer`` (the widget), ``toy_resnet`` (its
times, measured and published, and the simulator fitted to them), ``transfers`` (two queues).
"""

from __future__ import annotations

from hpml.labs.lab_11_gpu_benchmarks.device import AsyncDevice, CudaDevice
from hpml.labs.lab_11_gpu_benchmarks.explorer import launch_explorer
from hpml.labs.lab_11_gpu_benchmarks.toy_resnet import (
    GPU,
    draw_growth,
    fits,
    grows_from,
    growth,
    hypothesis,
    speedups,
    time_table,
    times_of,
    ways,
)
from hpml.labs.lab_11_gpu_benchmarks.transfers import WAYS, draw_pipelines, pipeline
