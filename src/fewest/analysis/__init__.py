"""Analyses of a task: invariants, symmetries, abstractions, reversed tasks, lower bounds, unsolvability."""
