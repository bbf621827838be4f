"""Lab 05: declared graphs, executed operations, errors, and autograd's record."""
