"""Lab 06: running a network lazily, or in an order computed before."""

from __future__ import annotations

from hpml.labs.lab_06_forward_order.networks import deepest, forwards_of, plain_forward
from hpml.labs.lab_06_forward_order.two_callers import interrupted, pause_layer
