"""Methods, attributes and inheritance."""

from __future__ import annotations


def methods():
    class Counter:
        """Counts."""

        made = 0
        __slots__ = ("n",)

        def __init__(self, n=0):
            self.n = n
            Counter.made += 1

        def add(self, k=1, *more, **options):
            self.n += k + sum(more) + len(options)
            return self

        @classmethod
        def ten(cls):
            return cls(10)

        @staticmethod
        def twice(x):
            return 2 * x

        @property
        def double(self):
            return self.n * 2

        @double.setter
        def double(self, value):
            self.n = value // 2

        def __len__(self):
            return self.n

        def __call__(self, *args):
            return ("called", args)

    c = Counter(3)
    c.add().add(2, 3, x=1)
    c.double += 4
    bound = c.add
    bound(1)
    unbound = Counter.add
    unbound(c, 1)
    return c.n, c.double, len(c), c(1), Counter.ten().n, c.twice(4), Counter.twice(5), Counter.made


def init_that_returns_something():
    class Wrong:
        def __init__(self):
            return 3

    return Wrong()


def dynamic_attributes():
    class Any_:
        def __getattr__(self, name):
            if name.startswith("x"):
                return lambda *args: (name, args)
            raise AttributeError(f"no {name}")

        def __setattr__(self, name, value):
            print("set", name)
            object.__setattr__(self, name, value)

        def __delattr__(self, name):
            print("delete", name)

    a = Any_()
    a.y = 3
    del a.y
    return a.x1(2), a.y, a.z()


def inheritance_and_super():
    class A:
        def __init__(self, **keywords):
            self.log = ["A", keywords]

        def who(self):
            return "A"

        @classmethod
        def make(cls):
            return cls.__name__

    class B(A):
        def __init__(self, b=0, **keywords):
            super().__init__(**keywords)
            self.log.append(("B", b))

        def who(self):
            return "B" + super().who()

    class C(A):
        def __init__(self, c=0, **keywords):
            super(C, self).__init__(**keywords)
            self.log.append(("C", c))

        def who(self):
            inner = lambda me: super(C, me).who()
            return "C" + inner(self)

    class D(B, C):
        def who(self):
            return "D" + super().who()

        @classmethod
        def make(cls):
            return "D" + super().make()

    d = D(b=1, c=2, other=3)
    return d.log, d.who(), D.make(), [k.__name__ for k in D.__mro__]


def super_outside_a_method():
    def f():
        return super().x

    return f()


def missing_attribute_of_super():
    class Base:
        pass

    class Child(Base):
        def f(self):
            return super().nothing()

    return Child().f()


def unpacking_what_refuses_to_be_iterated():
    class A:
        __iter__ = None

    a, b = A()
