"""What pytest is told before it imports anything of ours."""

from __future__ import annotations

import os

import pytest
from hypothesis import Phase, settings

# Assertions of the helpers say as much as those of the tests when they fail.
pytest.register_assert_rewrite("tests.helpers")

# How long an example takes says something of the machine, not of us.
settings.register_profile("fewest", deadline=None)
settings.load_profile("fewest")

# `python -m tests.mutation` asks whether a test fails, not for the smallest reason.
if "MUTANT_UNDER_TEST" in os.environ:
    phases = [Phase.explicit, Phase.reuse, Phase.generate]
    settings.register_profile("mutation", deadline=None, phases=phases)
    settings.load_profile("mutation")
