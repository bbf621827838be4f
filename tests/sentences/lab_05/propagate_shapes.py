import math

SAYS = {
    "| kind | parameters | the shape before it | the shape after it |": "the head of the table",
    "For example, `propagate_shapes([": "an example",
}
EQUIVALENT = {
    "6: kind == 'relu' → kind >= 'relu'": "of the kinds, relu is the last by name",
    "20: kind == 'conv2d' → kind <= 'conv2d'": "only conv2d and max_pool2d are left there",
    "36: shape is None → not shape": "a shape has two axes or more, so it is true",
}


def _windows(length, padding, kernel, stride):
    return (length + 2 * padding - kernel) // stride + 1


class _Rules:
    """The right rules; a form replaces one of them."""

    sizes = staticmethod(_windows)
    linear_axis = -1
    conv_stride, conv_padding, pool_stride, pool_padding = 1, 0, None, 0

    def fits(self, sides):
        return min(sides) >= 1

    def is_picture(self, shape):
        return len(shape) == 4

    def relu(self, shape, p):
        return shape

    def flatten(self, shape, p):
        return shape[0], math.prod(shape[1:])

    def linear(self, shape, p):
        if shape[self.linear_axis] != p["in_features"]:
            return None
        return (*shape[:-1], p["out_features"])

    def channels(self, shape, p):
        return shape[1] == p["in_channels"]

    def conv2d(self, shape, p):
        if not self.is_picture(shape) or not self.channels(shape, p):
            return None
        stride, padding = p.get("stride", self.conv_stride), p.get("padding", self.conv_padding)
        return self.sides(shape, p["out_channels"], padding, p["kernel_size"], stride)

    def max_pool2d(self, shape, p):
        if not self.is_picture(shape):
            return None
        kernel = p["kernel_size"]
        stride = p.get("stride", self.pool_stride or kernel)
        return self.sides(shape, shape[1], self.pool_padding, kernel, stride)

    def sides(self, shape, channels, padding, kernel, stride):
        sides = [self.sizes(length, padding, kernel, stride) for length in shape[2:]]
        return (shape[0], channels, *sides) if self.fits(sides) else None

    def wrong(self, position, kind, layers):
        return f"layer {position} ({kind})"


def _shapes(layers, shape, **changed):
    rules = type("Rules", (_Rules,), changed)()
    found = []
    for position, (kind, parameters) in enumerate(layers):
        shape = getattr(rules, kind)(shape, parameters)
        if shape is None:
            raise ValueError(rules.wrong(position, kind, layers))
        found.append(shape)
    return found


def forbidden_torch(layers, input_shape):
    """Write `propagate_shapes(layers, input_shape)` without PyTorch, which knows the rules."""
    import torch

    return [tuple(torch.zeros(each).shape) for each in _shapes(layers, input_shape)]


def the_last_shape(layers, input_shape):
    """the result is the list of the shapes after each layer."""
    return _shapes(layers, input_shape)[-1:]


def with_the_first_shape(layers, input_shape):
    """the result is the list of the shapes after each layer."""
    return [input_shape, *_shapes(layers, input_shape)]


def without_the_batch(layers, input_shape):
    """the batch comes first and does not change."""
    return [shape[1:] for shape in _shapes(layers, input_shape)]


def a_batch_of_two(layers, input_shape):
    """the batch comes first and does not change."""
    return [(2, *shape[1:]) for shape in _shapes(layers, input_shape)]


def relu_of_pictures_only(layers, input_shape):
    """| `relu` | none | any | the same |"""
    return _shapes(layers, input_shape, relu=lambda self, shape, p: shape[:4])


def relu_flattens(layers, input_shape):
    """| `relu` | none | any | the same |"""
    return _shapes(layers, input_shape, relu=_Rules.flatten)


def flatten_takes_the_batch(layers, input_shape):
    """| `flatten` | none | any | all axes but the batch become one |"""
    return _shapes(layers, input_shape, flatten=lambda self, shape, p: (math.prod(shape),))


def flatten_of_three_axes(layers, input_shape):
    """all axes but the batch become one |"""
    return _shapes(
        layers, input_shape, flatten=lambda self, shape, p: (shape[0], math.prod(shape[1:4]))
    )


def flatten_of_pictures_only(layers, input_shape):
    """| `flatten` | none | any | all axes but the batch become one |"""
    return _shapes(
        layers,
        input_shape,
        flatten=lambda self, s, p: (s[0], math.prod(s[1:])) if len(s) == 4 else None,
    )


def linear_looks_at_the_second_axis(layers, input_shape):
    """its last length is `in_features`"""
    return _shapes(layers, input_shape, linear_axis=1)


def linear_fits_if_it_divides(layers, input_shape):
    """its last length is `in_features`"""

    def linear(self, shape, p):
        if math.prod(shape[1:]) % p["in_features"]:
            return None
        return (*shape[:-1], p["out_features"])

    return _shapes(layers, input_shape, linear=linear)


def linear_flattens(layers, input_shape):
    """its last length is `out_features` |"""

    def linear(self, shape, p):
        return (shape[0], p["out_features"]) if shape[-1] == p["in_features"] else None

    return _shapes(layers, input_shape, linear=linear)


def linear_of_two_axes_only(layers, input_shape):
    """its last length is `in_features` | its last length is `out_features` |"""

    def linear(self, shape, p):
        return _Rules.linear(self, shape, p) if len(shape) == 2 else None

    return _shapes(layers, input_shape, linear=linear)


def linear_of_any_length(layers, input_shape):
    """its last length is `in_features`"""
    return _shapes(
        layers, input_shape, linear=lambda self, shape, p: (*shape[:-1], p["out_features"])
    )


def any_channels(layers, input_shape):
    """(batch, `in_channels`, height, width)"""
    return _shapes(layers, input_shape, channels=lambda self, shape, p: True)


def the_batch_is_the_channels(layers, input_shape):
    """(batch, `in_channels`, height, width)"""
    return _shapes(
        layers, input_shape, channels=lambda self, shape, p: p["in_channels"] in shape[:2]
    )


def at_least_four_axes(layers, input_shape):
    """(batch, `in_channels`, height, width)"""
    return _shapes(layers, input_shape, is_picture=lambda self, shape: len(shape) >= 4)


def at_least_three_axes(layers, input_shape):
    """(batch, `in_channels`, height, width)"""
    return _shapes(layers, input_shape, is_picture=lambda self, shape: 3 <= len(shape) <= 4)


def padded_on_one_side(layers, input_shape):
    """height and width become (n + 2 · padding - kernel_size) // stride + 1"""
    sizes = staticmethod(lambda n, padding, kernel, stride: (n + padding - kernel) // stride + 1)
    return _shapes(layers, input_shape, sizes=sizes)


def rounded_up(layers, input_shape):
    """height and width become (n + 2 · padding - kernel_size) // stride + 1"""
    sizes = staticmethod(lambda n, pad, kernel, stride: -((kernel - n - 2 * pad) // stride) + 1)
    return _shapes(layers, input_shape, sizes=sizes)


def cut_off_towards_zero(layers, input_shape):
    """(n + 2 · padding - kernel_size) // stride + 1, at least 1 |"""
    sizes = staticmethod(lambda n, pad, kernel, stride: int((n + 2 * pad - kernel) / stride) + 1)
    return _shapes(layers, input_shape, sizes=sizes)


def not_zero(layers, input_shape):
    """// stride + 1, at least 1 |"""
    return _shapes(layers, input_shape, fits=lambda self, sides: 0 not in sides)


def not_negative(layers, input_shape):
    """// stride + 1, at least 1 |"""
    return _shapes(layers, input_shape, fits=lambda self, sides: min(sides) >= 0)


def at_least_two(layers, input_shape):
    """// stride + 1, at least 1 |"""
    return _shapes(layers, input_shape, fits=lambda self, sides: min(sides) >= 2)


def one_of_the_two_is_enough(layers, input_shape):
    """// stride + 1, at least 1 |"""
    return _shapes(layers, input_shape, fits=lambda self, sides: max(sides) >= 1)


def the_height_is_enough(layers, input_shape):
    """// stride + 1, at least 1 |"""
    return _shapes(layers, input_shape, fits=lambda self, sides: sides[0] >= 1)


def the_width_is_enough(layers, input_shape):
    """// stride + 1, at least 1 |"""
    return _shapes(layers, input_shape, fits=lambda self, sides: sides[1] >= 1)


def kept_at_one(layers, input_shape):
    """// stride + 1, at least 1 |"""
    sizes = staticmethod(lambda *given: max(1, _windows(*given)))
    return _shapes(layers, input_shape, sizes=sizes)


def pooling_may_be_empty(layers, input_shape):
    """as for `conv2d` without padding; the channels stay |"""

    def max_pool2d(self, shape, p):
        if len(shape) != 4:
            return None
        kernel = p["kernel_size"]
        stride = p.get("stride", kernel)
        return (*shape[:2], *(_windows(n, 0, kernel, stride) for n in shape[2:]))

    return _shapes(layers, input_shape, max_pool2d=max_pool2d)


def pooling_of_three_axes(layers, input_shape):
    """| (batch, channels, height, width) |"""

    def max_pool2d(self, shape, p):
        sides = _Rules.max_pool2d(self, (0, 0, *shape[-2:]), p) if len(shape) > 2 else None
        return (*shape[:-2], *sides[2:]) if sides else None

    return _shapes(layers, input_shape, max_pool2d=max_pool2d)


def pooling_with_padding(layers, input_shape):
    """as for `conv2d` without padding"""
    return _shapes(layers, input_shape, pool_padding=1)


def pooling_with_stride_one(layers, input_shape):
    """| `max_pool2d` | `kernel_size`, `stride=kernel_size` |"""
    return _shapes(layers, input_shape, pool_stride=1)


def pooling_to_one_channel(layers, input_shape):
    """without padding; the channels stay |"""

    def max_pool2d(self, shape, p):
        found = _Rules.max_pool2d(self, shape, p)
        return found and (found[0], 1, *found[2:])

    return _shapes(layers, input_shape, max_pool2d=max_pool2d)


def stride_of_two(layers, input_shape):
    """Parameters with a default may be absent."""
    return _shapes(layers, input_shape, conv_stride=2)


def padding_of_one(layers, input_shape):
    """Parameters with a default may be absent."""
    return _shapes(layers, input_shape, conv_padding=1)


def always_present(layers, input_shape):
    """Parameters with a default may be absent."""
    for kind, parameters in layers:
        if kind in ("conv2d", "max_pool2d"):
            parameters["stride"]
    return _shapes(layers, input_shape)


def counted_from_one(layers, input_shape):
    """by its position from 0 and its kind: `layer 2 (linear)`."""
    return _shapes(
        layers, input_shape, wrong=lambda self, place, kind, layers: f"layer {place + 1} ({kind})"
    )


def without_the_kind(layers, input_shape):
    """by its position from 0 and its kind: `layer 2 (linear)`."""
    return _shapes(layers, input_shape, wrong=lambda self, place, kind, layers: f"layer {place}")


def without_the_position(layers, input_shape):
    """by its position from 0 and its kind: `layer 2 (linear)`."""
    return _shapes(layers, input_shape, wrong=lambda self, place, kind, layers: f"({kind})")


def one_digit(layers, input_shape):
    """by its position from 0 and its kind: `layer 2 (linear)`."""
    return _shapes(
        layers, input_shape, wrong=lambda self, place, kind, layers: f"layer {place % 10} ({kind})"
    )


def all_of_them(layers, input_shape):
    """names the first such layer by its position from 0"""

    def wrong(self, place, kind, layers):
        return ", ".join(f"layer {n} ({name})" for n, (name, _) in enumerate(layers) if n >= place)

    return _shapes(layers, input_shape, wrong=wrong)


def the_last_that_does_not_fit(layers, input_shape):
    """names the first such layer by its position from 0"""

    def wrong(self, place, kind, layers):
        last = max(n for n, (name, _) in enumerate(layers) if n >= place and name != "relu")
        return f"layer {last} ({layers[last][0]})"

    return _shapes(layers, input_shape, wrong=wrong)


def a_type_error(layers, input_shape):
    """If a layer does not fit, raise a `ValueError`"""
    try:
        return _shapes(layers, input_shape)
    except ValueError as error:
        raise TypeError(str(error)) from None


def stops_without_an_error(layers, input_shape):
    """If a layer does not fit, raise a `ValueError`"""
    found = []
    for end in range(1, len(layers) + 1):
        try:
            found = _shapes(layers[:end], input_shape)
        except ValueError:
            break
    return found
