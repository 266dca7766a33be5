"""The paths of the repository's files."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
BAD = ROOT / "tests" / "bad"  # one document for each error code
