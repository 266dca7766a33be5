"""Proofs that a position is dead."""
