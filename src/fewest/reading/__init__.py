"""Reading turns text into a puzzle: YAML becomes a tree with locations, then a document, then a `Puzzle` with every
name resolved.

In this folder, a parameter `raw` is a value as the document states it.
"""
