"""What pytest is told before it imports anything of ours."""

from __future__ import annotations

import pytest
from hypothesis import settings

# Assertions of the helpers say as much as those of the tests when they fail.
pytest.register_assert_rewrite("tests.helpers")

# How long an example takes says something of the machine, not of us.
settings.register_profile("fewest", deadline=None)
settings.load_profile("fewest")
