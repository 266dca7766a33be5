"""The reasons why a document cannot be compared."""

from __future__ import annotations


class Unsupported(Exception):  # noqa: N818 - it is no error of the document
    """The document uses a construct that this package does not support, or that the docs do not define."""


class Rejected(Exception):  # noqa: N818
    """The docs say that the document is invalid."""


class NoValue(Exception):  # noqa: N818
    """An expression has no value, for example because a table does not contain an entry."""


class TooLarge(Exception):  # noqa: N818
    """The puzzle has too many positions for a comparison."""
