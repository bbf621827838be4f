"""Lab 13: activations, their gradients, and their compilation."""
