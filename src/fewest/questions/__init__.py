"""The operations that users call: solve, explore, hint, explain, check, compare, sweep, export."""
