"""Lab 02: the interpreter, its instructions and their cost."""
