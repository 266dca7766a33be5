"""The input formats of other planners."""
