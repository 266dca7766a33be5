"""The operations for users: solve, explore, hint, explain, check, compare, sweep, export."""
