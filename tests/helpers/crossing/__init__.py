"""The crossing of task features, engines and options: small puzzles, calls, and what the reference says."""
