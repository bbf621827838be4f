"""Lab 13: activations, what their gradients need, and what a compiler makes of them."""
