"""Levels and solutions of Sokoban."""
