"""The page to play a puzzle: its task, pictures and distances in one HTML file."""
