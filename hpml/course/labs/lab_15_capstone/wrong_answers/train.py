"""Wrong answers to `train`: the script with one thing changed; the diagnoses are docstrings."""

from hpml.course.labs.lab_15_capstone.scripts import script, train_of


def _train(before, after):
    text = script(0)
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
