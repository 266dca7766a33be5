"""Fixtures for tests of stores, which compare many searches of the same task and save small files often.

A `conftest.py` that imports these fixtures applies them to all tests of its folder.
"""

from __future__ import annotations

import os

import pytest

__all__ = ["without_audit", "without_waiting_for_the_disk"]


@pytest.fixture(autouse=True)
def without_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests compare searches of the same task, so an audit of the task would not find their faults."""
    monkeypatch.setenv("FEWEST_AUDIT", "off")


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test ends the power supply, so the files in the cache of the system suffice."""
    monkeypatch.setattr(os, "fsync", os.fstat)  # this also fails if the file is not open
