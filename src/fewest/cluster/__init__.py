"""Distributed work on Ray (the extra `cluster`). Actors own the native shards of a search; independent items, such as
the puzzles of a batch, run as Ray tasks.
"""
