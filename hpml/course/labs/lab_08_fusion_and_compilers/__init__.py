"""Lab 08: loop fusion, and the compilers that do it."""
