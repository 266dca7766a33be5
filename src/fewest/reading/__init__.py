"""Reading turns text into a puzzle: YAML to a tree with locations, to a document, to a `Puzzle` with every name
resolved.
"""
