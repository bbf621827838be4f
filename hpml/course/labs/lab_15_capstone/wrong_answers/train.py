"""Wrong answers to `train`: the script with one thing changed; the diagnoses are docstrings."""

from hpml.course.labs.lab_15_capstone.scripts import script, train_of


def _train(before, after, kind="network"):
    text = script(0, kind=kind)
    assert before in text
    return train_of(text.replace(before, after))


def another_order(**data):
    """The order of the signals differs. The script draws it from a separate generator, made with
    the seed: one `randperm` per epoch."""
    return _train(", generator=shuffle", "")(**data)


def drops_last_batch(**data):
    """The last batch of an epoch is smaller. Your version drops it, but it is part of training."""
    return _train("batch_size=batch_size)", "batch_size=batch_size, drop_last=True)")(**data)


def one_mean_for_the_batch(**data):
    """Each signal is standardised by its own mean and standard deviation. Without an axis, `mean`
    and `std` use the whole batch."""
    return _train("(row - row.mean()) / row.std()", "(row - batch.mean()) / batch.std()")(**data)


def population_deviation(**data):
    """Your standard deviation divides by n, like NumPy's. PyTorch's `std` divides by n - 1, and so
    does the script."""
    return _train("row.std()", "row.std(correction=0)")(**data)


def transformer_in_another_order(**data):
    """The order of the signals differs. The script draws it from a separate generator, made with
    the seed: one `randperm` per epoch."""
    return _train(", generator=shuffle", "", "transformer")(**data)


def transformer_without_last_batch(**data):
    """The last batch of an epoch is smaller. Your version drops it, but it is part of training."""
    return _train(
        "range(0, len(order), b", "range(0, len(order) - batch_size + 1, b", "transformer"
    )(**data)


def transformer_of_population_deviation(**data):
    """Your standard deviation divides by n, like NumPy's. PyTorch's `std` divides by n - 1, and so
    does the script."""
    return _train("signal.std()", "signal.std(correction=0)", "transformer")(**data)


def unscaled_attention(**data):
    """The scores of attention are divided by the square root of the length of a head's query: without
    this the softmax is sharper. `F.scaled_dot_product_attention` divides by it, too."""
    return _train(" * queries.shape[-1] ** -0.5", "", "transformer")(**data)


def scaled_twice(**data):
    """`F.scaled_dot_product_attention` already divides the scores by the square root of the length of
    a head's query. Your version divides twice."""
    return _train("queries.shape[-1] ** -0.5", "queries.shape[-1] ** -1", "transformer")(**data)


def causal_attention(**data):
    """In the script each patch looks at all others, also at later ones. Your attention is causal."""
    return _train("scores / scores.sum", "scores.tril() / scores.tril().sum", "transformer")(**data)
