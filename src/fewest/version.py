"""The rules of a puzzle on the page: facts, cubes and flips, and the costs of moves."""

__version__ = "0.1.0"
