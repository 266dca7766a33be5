"""The machine: files, processes, memory, package data. This package does not depend on puzzles."""
