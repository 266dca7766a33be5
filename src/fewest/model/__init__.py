"""What puzzles and tasks are, as data. It is below everything and imports nothing but `errors`."""
