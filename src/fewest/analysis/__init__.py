"""What a task says about itself: invariants and, later, symmetry, dead ends and lower bounds."""
