"""Boards that are one line each: lists of Rush Hour boards, Klotski codes, tiles as numbers."""
