"""Conditions with far too many cases are refused after few steps, because an estimate shows their number."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

import fewest
from fewest.errors import DocumentError
from fewest.grounding.ground import ground
from fewest.grounding.tree_size import TreeSize, estimated_tree, size_beyond

DEPTH = 10
COUNTERS = """
puzzle: counters
variables:
  c[i]: {for: {i: range(14)}, values: range(4), initial: "i % 4"}
  n: {values: range(5), initial: 0}
moves:
  up: {for: {i: range(14)}, when: "c[i] < 3", set: {"c[i]": "c[i] + 1"}}
MORE
goal: n == 1
"""
RING = "all(c[i] == 1 or c[i] >= c[(i + 1) % 14] for i in range(14))"
LARGE = {
    "a when of a move": f'  jump: {{when: "{RING} or n == 3", set: {{n: "sum(c[j] for j in range(14)) % 5"}}}}',
    "an assignment": '  jump: {set: {n: "sum(c[j] for j in range(14)) % 5"}}',
    "a consequence": f'then:\n  jump: {{when: "n < 3 and {RING}", set: {{n: n + 1}}}}',
    "a once rule": 'then:\n  jump: {once: true, set: {n: "sum(c[j] for j in range(14)) % 5"}}',
}


def children(node: tuple[int, int]) -> Sequence[tuple[int, int]] | None:
    """A tree in which one branch of each node ends early; it has 2 ** DEPTH leaves and as many dead ends."""
    depth, branch = node
    if branch == 2:
        return []
    return [(depth + 1, 0), (depth + 1, 1), (depth + 1, 2)] if depth < DEPTH else None


@pytest.mark.parametrize("width", [1, 4, 16])
def test_the_mean_of_the_estimates_is_the_true_size(width: int) -> None:
    sizes = [estimated_tree([(0, 0)], children, width, Random(seed)) for seed in range(3_000)]
    mean = sum(size.leaves for size in sizes) / len(sizes)
    assert mean == pytest.approx(2**DEPTH, rel=0.2)


def test_a_tree_is_beyond_a_limit_only_if_all_estimates_are() -> None:
    def beyond(limit: float) -> TreeSize[tuple[int, int]] | None:
        return size_beyond(lambda size: size.leaves > limit, (0, 0), children, 16)

    assert beyond(2**DEPTH / 4) is not None
    assert beyond(2**DEPTH * 4) is None


@pytest.mark.parametrize("more", LARGE.values(), ids=LARGE)
def test_a_rule_with_far_too_many_cases_is_refused_after_few_steps(more: str) -> None:
    puzzle = fewest.load("counters.yaml", text=COUNTERS.replace("MORE", more)).puzzle
    calls: list[str] = []
    with pytest.raises(DocumentError, match="more than 50,000 cases") as error:
        ground(puzzle, lambda _, part: calls.append(part))
    assert "`jump`" in str(error.value)
    assert (
        len(calls) < 40
    )  # one call for each 256 steps; without estimates, there are more than 200


MELTING = """
puzzle: melting
legend: {".": floor, "@": man, o: jelly}
pieces: {man: {}, jelly: {}}
variables: {n: {values: [0, 1], initial: 0}}
moves:
  heat: {set: {n: 1}}
  walk: {before: [man, empty], after: [empty, man]}
  push: {before: [man, jelly, empty], after: [empty, man, jelly]}
then:
  melt: {before: [jelly], after: [empty], when: "n == 1 and 3 < TOTAL"}
goal: {man: {at: [0, 0]}}
board: |
  oo@oo
  ..o..
  .....
  .....
"""
TOTAL = "sum(cell(r, c) == jelly for r in range(4) for c in range(5))"


def test_a_consequence_with_far_too_many_cases_at_all_places_is_refused_early() -> None:
    puzzle = fewest.load("melting.yaml", text=MELTING.replace("TOTAL", TOTAL)).puzzle
    calls: list[str] = []
    with pytest.raises(DocumentError, match=r"`melt` has about [\d,]+ cases at 20 places"):
        ground(puzzle, lambda _, part: calls.append(part))
    assert len(calls) < 60  # without the estimate, there are hundreds
