"""The machine: files, processes, memory, package data. Nothing here depends on puzzles."""
