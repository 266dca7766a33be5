"""Hand-written incremental programs for clingo, each for one puzzle: see `__main__.py`."""
