"""What pytest is told before it imports anything of ours."""

from __future__ import annotations

import pytest

# Assertions of the helpers say as much as those of the tests when they fail.
pytest.register_assert_rewrite("tests.helpers")
