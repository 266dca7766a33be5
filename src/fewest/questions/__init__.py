"""The questions of users: solve, explore, hint, explain, check, compare, sweep, export."""
