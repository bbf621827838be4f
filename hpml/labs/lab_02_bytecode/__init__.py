"""Lab 02: the interpreter, its instructions, and what they cost."""
