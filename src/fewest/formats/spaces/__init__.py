"""State spaces as files for other programs: arrays for NumPy, tables for polars, graphs for networkx."""
