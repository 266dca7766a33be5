"""The search core in pure Python: for machines without a compiler, and to compare the native core with."""
