"""What people ask: solve, explore, hint, explain, check, compare, sweep, export."""
