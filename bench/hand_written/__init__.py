"""Incremental programs for clingo, written by hand for one question each: see `__main__.py`."""
