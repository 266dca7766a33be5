"""The operations that users call, such as solve, explore, hint, check and compare."""
