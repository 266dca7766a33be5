"""Draws positions as text and as pictures, and results as tables, charts and plots."""
