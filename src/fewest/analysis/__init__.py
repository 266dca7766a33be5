"""Properties of a task: invariants, symmetries, abstractions, dead positions and lower bounds."""
