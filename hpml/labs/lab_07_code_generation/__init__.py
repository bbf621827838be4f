"""Lab 07: networks written down in several ways, their bytecode, their memory and their time."""
