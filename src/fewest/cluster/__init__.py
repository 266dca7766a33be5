"""Distributed work on Ray (the extra `cluster`): actors own the native shards of a search; each independent item is a
task.
"""
