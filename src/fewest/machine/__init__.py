"""Access to the machine on which the program runs: files, processes, memory, package data. This package does not depend
on puzzles.
"""
