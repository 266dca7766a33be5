"""The machine: files, processes, memory, package data. Nothing here is about puzzles."""
