"""Settings for the tests of formats."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _without_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answers that these tests compare come from elsewhere: from other programs, searches or published tables."""
    monkeypatch.setenv("FEWEST_AUDIT", "off")
