"""Grounding compiles a puzzle into a task: rules and conditions become facts, cubes and flips."""
