"""Proofs that a position is lost."""
