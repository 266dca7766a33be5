"""The search core in pure Python: for machines without a compiler, and the twin of the native one."""
