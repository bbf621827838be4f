"""Lab 11: measuring what works on its own, and why small kernels wait for their launches."""
