"""`make_traceable` returns a function, which is called with `x` later. There is no `x` yet when it
is called itself."""


def make_traceable(test, yes, no):
    return yes
