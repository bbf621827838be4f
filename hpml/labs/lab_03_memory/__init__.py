"""Lab 03: where memory is, who frees it, and what autograd keeps of it."""
