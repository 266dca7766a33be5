"""Formats with one board per line (lists of Rush Hour boards, Klotski codes, tiles as numbers), and the boards of
DriftingDroids.
"""
