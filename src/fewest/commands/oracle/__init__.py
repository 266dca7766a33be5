"""Distance tables on disk for instant hints: `build` writes them, and `file` looks distances up."""

from fewest.commands.oracle.build import Built, build_oracle, encode_oracle
from fewest.commands.oracle.file import BLOCK, Oracle, OracleError, UnreachableError, open_oracle

__all__ = [
    "BLOCK",
    "Built",
    "Oracle",
    "OracleError",
    "UnreachableError",
    "build_oracle",
    "encode_oracle",
    "open_oracle",
]
