"""``with`` statements."""

from __future__ import annotations


class Manager:
    def __init__(self, name, swallow=False, fail=""):
        self.name, self.swallow, self.fail = name, swallow, fail

    def __enter__(self):
        print("enter", self.name)
        if self.fail == "enter":
            raise RuntimeError("enter failed")
        return self.name

    def __exit__(self, kind, error, traceback):
        print("exit", self.name, kind and kind.__name__, error, traceback is not None)
        if self.fail == "exit":
            raise RuntimeError("exit failed")
        return self.swallow


def with_whose_enter_fails():
    with Manager("a"), Manager("b", fail="enter"):
        print("never")


def with_whose_exit_fails():
    with Manager("a"), Manager("b", fail="exit"):
        {}["body"]


def with_return_and_break():
    def f():
        for i in range(3):
            with Manager(i):
                if i == 0:
                    continue
                if i == 1:
                    break
        with Manager("r"):
            return "value"

    return f()


def with_on_something_else():
    with 3:
        pass


def with_targets():
    class Box:
        pass

    box, items = Box(), [0]
    with Manager("x") as box.name, Manager("yz") as items[0], Manager("pq") as (p, q):
        return box.name, items, p, q
