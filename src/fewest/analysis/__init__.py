"""What a task says about itself: invariants, symmetries, projections, dead ends and lower bounds."""
