"""Combines task features, engines and options: small puzzles, calls, and the results of the reference interpreter."""
