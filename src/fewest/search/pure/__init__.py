"""The search core in pure Python, for machines without a compiler and for comparisons with the native core."""
