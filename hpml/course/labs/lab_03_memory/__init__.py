"""Lab 03: where memory is, what frees it, and what autograd keeps."""
