"""Class statements: bodies, metaclasses, hooks, and what the library makes of them."""

from __future__ import annotations


def class_body_that_raises():
    class Broken:
        x = 1
        y = x // 0

    return Broken


def class_annotations():
    class Point:
        x: int
        y: int = 3
        z: list[str] = []

    return Point.__annotations__, Point.y


def class_with_metaclass():
    class Meta(type):
        @classmethod
        def __prepare__(mcs, name, bases, **keywords):
            print("prepare", name, keywords)
            return {"prepared": True}

        def __new__(mcs, name, bases, space, **keywords):
            made = super().__new__(mcs, name, bases, space)
            made.keywords = keywords
            return made

        def __init__(cls, name, bases, space, **keywords):
            super().__init__(name, bases, space)
            print("init", name)

        def __call__(cls, *args):
            print("call", args)
            return super().__call__(*args)

    class Base(metaclass=Meta, level=1):
        def __init__(self, *args):
            self.args = args

    class Child(Base, level=2):
        pass

    return Child.keywords, Base.prepared, Child(1, 2).args, type(Child).__name__


def class_hooks():
    class Named:
        def __set_name__(self, owner, name):
            self.where = (owner.__name__, name)

        def __get__(self, instance, owner):
            return self.where

    class Base:
        seen = []

        def __init_subclass__(cls, tag="none", **keywords):
            super().__init_subclass__(**keywords)
            cls.seen.append((cls.__name__, tag))

    class Child(Base, tag="child"):
        field = Named()

    return Base.seen, Child.field, Child().field


def init_that_is_a_static_or_class_method():
    seen = []

    class Static:
        __init__ = staticmethod(lambda *args: seen.append(args))

    class Class:
        @classmethod
        def __init__(cls, *args):
            seen.append((cls.__name__, *args))

    Static(), Static(1), Class(), Class(2)
    return seen


def keywords_of_a_class_with_any_name():
    class Base:
        def __init_subclass__(cls, **keywords):
            print(keywords)

    class Made(Base, name=1, frame=2, function=3, self=4):
        pass


def super_after_self_is_deleted():
    class A:
        def f(self):
            def inner():
                return self

            del self
            return super().f()

    A().f()


def exceptions_are_matched_by_identity():
    class Meta(type):
        def __eq__(cls, other):
            return True

        __hash__ = type.__hash__

    class Anything(Exception, metaclass=Meta):
        pass

    try:
        raise ValueError
    except Anything:
        return "equal"
    except ValueError:
        return "the same"


def name_deleted_in_a_class_body():
    class Body:
        x = 1
        del x
        try:
            del x
        except NameError as error:
            said = str(error)

    return hasattr(Body, "x"), Body.said
