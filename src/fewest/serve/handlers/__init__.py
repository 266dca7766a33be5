"""What the processes of the workshop answer: `name(given, root, say)` to each question of that name."""
