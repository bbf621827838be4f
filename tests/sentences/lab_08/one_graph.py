import torch

SAYS: dict[str, str] = {
    "Write `one_graph(test, yes, no)`.": "the name and the parameters, as in the stub",
    "`test` returns a boolean tensor of shape `()`.": "a promise: no other test is tried",
    "For example, `one_graph(lambda x:": "an example; `decide` is a function of the lab",
}


def swapped(test, yes, no):
    """gives `yes(x)` where `test(x)` is true and `no(x)` where it is false"""
    return lambda x: torch.where(test(x), no(x), yes(x))


def decides_once(test, yes, no):
    """gives `yes(x)` where `test(x)` is true and `no(x)` where it is false"""
    seen = []

    def chosen_by(x):
        seen.append(test(x))
        return torch.where(seen[0], yes(x), no(x))

    return chosen_by


def number_by_number(test, yes, no):
    """gives `yes(x)` where `test(x)` is true and `no(x)` where it is false"""
    return lambda x: torch.where((x > 0) & test(x), yes(x), no(x))


def the_result_itself(test, yes, no):
    """It returns a function of a tensor `x`"""
    x = torch.tensor([1.0, 2.0])
    return torch.where(test(x), yes(x), no(x))


def decides_in_python(test, yes, no):
    """`torch.compile(function, fullgraph=True)` must accept it, as a single graph"""
    return lambda x: yes(x) if test(x) else no(x)


def two_numbers(test, yes, no):
    """`torch.compile(function, fullgraph=True)` must accept it, as a single graph"""

    def chosen_by(x):
        chosen, taken, other = test(x), yes(x), no(x)
        if taken.ndim != 1 or len(taken) < 2:
            return torch.where(chosen, taken, other)
        return torch.stack([torch.where(chosen, taken[k], other[k]) for k in range(2)])

    return chosen_by


def blend(test, yes, no):
    """The result of the branch that is not taken may be infinite or not a number."""

    def chosen_by(x):
        chosen = test(x).double()
        taken = yes(x)
        return (chosen * taken + (1 - chosen) * no(x)).to(taken.dtype)

    return chosen_by


def finite_only(test, yes, no):
    """The result of the branch that is not taken may be infinite or not a number."""
    return lambda x: torch.where(test(x), yes(x), no(x)).nan_to_num()


def blend_of_finite(test, yes, no):
    """The result of the branch that is not taken may be infinite or not a number."""

    def chosen_by(x):
        chosen, taken, other = test(x), yes(x), no(x)
        if taken.dtype == torch.float32:
            return chosen * taken.nan_to_num() + ~chosen * other.nan_to_num()
        return torch.where(chosen, taken, other)

    return chosen_by


def as_float32(test, yes, no):
    """Both branches return tensors of the same shape and dtype"""
    return lambda x: torch.where(test(x), yes(x).float(), no(x).float())


def as_the_input(test, yes, no):
    """Both branches return tensors of the same shape and dtype"""
    return lambda x: torch.where(test(x), yes(x).to(x.dtype), no(x).to(x.dtype))


def detour_by_float32(test, yes, no):
    """Both branches return tensors of the same shape and dtype"""

    def chosen_by(x):
        taken, other = yes(x), no(x)
        return torch.where(test(x), taken.float(), other.float()).to(taken.dtype)

    return chosen_by


def shape_of_the_input(test, yes, no):
    """Both branches return tensors of the same shape and dtype"""
    return lambda x: torch.where(test(x).expand_as(x), yes(x), no(x))


def one_axis(test, yes, no):
    """Both branches return tensors of the same shape and dtype"""
    return lambda x: torch.where(test(x).reshape(1), yes(x), no(x))


def forbidden_script(test, yes, no):
    """Use PyTorch's operators."""
    return torch.jit.script(lambda x: torch.where(test(x), yes(x), no(x)))


def forbidden_cond(test, yes, no):
    """It may not use `jit`"""
    return lambda x: torch.cond(test(x), yes, no, (x,))


def forbidden_compile(test, yes, no):
    """It may not use `jit`"""
    return torch.compile(lambda x: torch.where(test(x), yes(x), no(x)))
