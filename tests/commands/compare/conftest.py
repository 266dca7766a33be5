"""Provides engines without processes, for the tests of this folder that are not about processes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.helpers.engines_here import engines_run_here


@pytest.fixture
def engines_here() -> Iterator[None]:
    with engines_run_here():
        yield
