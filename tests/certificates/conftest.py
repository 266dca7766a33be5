"""Settings for the tests of certificates."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _without_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checkers play the rules themselves; `test_audit_of_grounder.py` tests the audits of `verify`."""
    monkeypatch.setenv("FEWEST_AUDIT", "off")
