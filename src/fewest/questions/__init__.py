"""The questions that users can put: solve, explore, hint, explain, check, compare, sweep, export."""
