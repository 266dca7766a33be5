"""Plays puzzles in the terminal: the session, its drawing, and the full-screen program."""
