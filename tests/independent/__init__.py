"""Implementations of the language that share no code with the program."""
