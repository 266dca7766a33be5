"""Distinguishes the URL of an object store from the path of a folder."""

from __future__ import annotations

from fewest.errors import UsageError


def is_url(text: str) -> bool:
    """Whether a text is the URL of an object store."""
    return "://" in text


def refuse_url(place: object) -> None:
    """Raises UsageError for the URL of an object store, if only a folder is possible."""
    if is_url(str(place)):
        raise UsageError(
            f"only a search in layers on a cluster can save its progress at a URL, such as {place}",
            hint="give a folder, or use --cluster without --store index",
        )
