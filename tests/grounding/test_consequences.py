"""The rules of `then` as they are laid out: which of them are not even asked."""

from __future__ import annotations

import fewest
from fewest.grounding.consequences import Consequences, TransientView, fits
from fewest.grounding.grounder import Grounder
from fewest.grounding.partial import partial

FALLING = """
puzzle: falling
legend: {".": floor, a: a, b: b}
pieces: {a: {}, b: {}}
moves: {go: {before: [a, empty], after: [empty, a], directions: horizontal}}
then:
  fall: {slide: b, directions: down}
  grow: {before: [a, b], after: [a, a], directions: horizontal}
  fill: {before: [empty, b, b], after: [a, b, b], directions: right}
goal: {a: {at: [1, 1]}}
board: |
  b..
  a..
"""


def test_a_rule_is_only_asked_at_cells_where_what_it_begins_with_may_stand() -> None:
    grounder = Grounder(fewest.load("falling.yaml", text=FALLING).puzzle)
    rules = Consequences(grounder)
    there = set(grounder.initial_facts())
    absent = [fact for fact in range(len(grounder.facts)) if fact not in there]
    start = TransientView(grounder, partial(there, absent))
    may_fit = [(unit.rule.name, unit.cell) for unit in rules.units if unit.may_fit(start)]
    # `fill` begins with a cell that may be empty, and fits into a row of three.
    assert may_fit == [("fall", 0), ("fill", 0), ("grow", 3), ("fill", 3)]
    assert {unit.cell for unit in rules.units if unit.rule.name == "grow"} == set(range(6))
    assert not any(list(fits(unit, start)) for unit in rules.units)
    unknown = TransientView(grounder, partial())
    assert all(unit.may_fit(unknown) for unit in rules.units)
