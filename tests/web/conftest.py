"""Provides one browser for the tests of this folder; the browser ends when the tests end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.helpers.javascript import stop_browser


@pytest.fixture(scope="package", autouse=True)
def _browser_ends() -> Iterator[None]:
    yield
    stop_browser()
