"""The page on which a puzzle can be played: its task, pictures and distances in one HTML file."""
