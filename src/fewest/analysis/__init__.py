"""Properties of a task: invariants, symmetries, abstractions, dead ends and lower bounds."""
