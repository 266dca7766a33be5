"""The machine: files, processes, memory, package data. Nothing here knows of puzzles."""
