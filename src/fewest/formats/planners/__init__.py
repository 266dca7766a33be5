"""What other planners read."""
