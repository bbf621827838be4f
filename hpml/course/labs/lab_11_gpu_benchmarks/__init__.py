"""Lab 11: timing asynchronous devices, and why small kernels are bound by their launches."""
