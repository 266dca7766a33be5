"""Puzzles and tasks as data. It is the lowest layer and imports only `errors`."""
