"""A puzzle becomes a task: rules and conditions to facts, cubes and flips."""
