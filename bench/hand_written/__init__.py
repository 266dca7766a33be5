"""Contains hand-written incremental programs for clingo, each for one puzzle; `__main__.py` measures them."""
