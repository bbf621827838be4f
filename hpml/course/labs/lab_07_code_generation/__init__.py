"""Lab 07: generated source of networks, its bytecode, its memory and its time."""
