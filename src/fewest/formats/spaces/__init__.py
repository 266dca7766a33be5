"""State spaces as files of other programs: arrays for NumPy, tables for polars, graphs for networkx."""
