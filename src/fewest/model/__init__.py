"""Puzzles and tasks as data. This package is the lowest layer and imports only `errors`."""
