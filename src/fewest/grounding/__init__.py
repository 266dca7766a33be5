"""Grounding compiles a puzzle into a task of facts, operators and cubes."""
