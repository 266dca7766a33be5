"""Reading turns text into a puzzle: YAML to a tree with places, to a document, to a `Puzzle` with every name
resolved.
"""
