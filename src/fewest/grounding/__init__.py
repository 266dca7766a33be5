"""Grounding: a puzzle becomes a task, its rules and conditions become facts, cubes and flips."""
