"""The search core in pure Python: for machines without a compiler, for problems that the native core does not support,
and for comparisons with the native core.
"""
