"""The page on which a puzzle can be played: a single HTML file with its task, pictures and distances."""
