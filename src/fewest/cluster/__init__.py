"""Distributed work on Ray (the `cluster` extra): actors own the native shards of a search, and each independent item is
a task.
"""
