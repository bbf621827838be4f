"""The room a submission lives in: its notebook read, its functions called, and no answer anywhere.

A submission may read everything that is here, so nothing here knows what is right. It is the lowest
layer and stands alone: the standard library only, nothing else of ``hpml``. What leaves the room
is plain data (``plain``), which is judged elsewhere:

>>> from hpml.sandbox.calling import call
>>> from hpml.sandbox.harness import by_name, the_result
>>> answer = call(sorted, lambda data: {"iterable": data}, the_result, [2, 1])
>>> answer["outcome"], answer["type"]
('raised', 'TypeError')
>>> def double(number):
...     return 2 * number
>>> call(double, by_name, the_result, {"number": 21})
{'outcome': 'returned', 'value': 42, 'changed': {}}
"""

from __future__ import annotations
