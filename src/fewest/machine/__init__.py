"""The machine on which the program runs: files, processes, memory, package data. It does not depend on puzzles."""
