"""Lab 05: what was executed, what failed where, what autograd recorded."""
