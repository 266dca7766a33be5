"""An independent reader and player of puzzles on square boards.

This package was written from `docs/language.md` alone. It imports nothing from `fewest`. If it does not support a
construct of a document, it raises `Unsupported`.
"""
