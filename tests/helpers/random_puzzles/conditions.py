"""Draws rules, consequences and goals with conditions about whether a rule is applicable."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from tests.helpers.random_puzzles.parts import document


@st.composite
def asking(draw: st.DrawFn, *kinds: st.SearchStrategy[str]) -> str:
    """A random puzzle of one of the given kinds, with conditions about one of its rules."""
    lines = (line.partition(": ") for line in draw(st.one_of(*kinds)).splitlines())
    keys: dict[str, Any] = {key: json.loads(text) for key, _, text in lines}
    rules = keys["moves"]
    tested = draw(st.sampled_from([name for name in rules if "together" not in rules[name]]))
    can = f"can({tested})" if draw(st.booleans()) else f"not can({tested})"
    others = [rule for name, rule in rules.items() if name != tested and "cycle" not in rule]
    others += keys.get("then", {}).values()
    if others and draw(st.integers(0, 3)):
        rule = draw(st.sampled_from(others))
        rule["when"] = f"({rule['when']}) and {can}" if "when" in rule else can
    else:
        keys["goal"] = can
    return document(**keys)
