"""A list of cubes excludes only cubes that do not intersect another cube."""

from __future__ import annotations

from random import Random

import fewest
from fewest.grounding.compatible_cubes import CompatibleCubes
from fewest.grounding.grounder import Grounder
from fewest.grounding.partial import PartialState, partial

PIECES = """
puzzle: pieces
legend: {".": floor, a: ant, b: bee}
pieces: {ant: {}, bee: {}}
variables: {n: {values: range(3), initial: 0}}
moves: {step: {before: [any, empty], after: [empty, any]}}
goal: {ant: {at: [1, 1]}}
board: |
  a.b
  b..
"""


def test_the_product_of_lists_contains_all_consistent_pairs() -> None:
    grounder = Grounder(fewest.load("pieces.yaml", text=PIECES).puzzle)
    random, facts = Random(0), range(len(grounder.facts))

    def cube() -> PartialState:
        known = random.sample(facts, random.randrange(4))
        number = random.randrange(len(known) + 1)
        return partial(known[:number], known[number:])

    left, right = ([cube() for _ in range(60)] for _ in range(2))
    both = [
        PartialState(one.positive | other.positive, one.negative | other.negative)
        for one in filter(grounder.is_consistent, left)
        for other in right
    ]
    product = grounder.product([left, right])
    assert product == list(dict.fromkeys(filter(grounder.is_consistent, both)))
    assert 20 < len(product) < len(both)
    compatible = CompatibleCubes(right, grounder)
    tested = [len(compatible.with_cube(one)) for one in left]
    assert max(tested) == len(right) and min(tested) < len(right) * 0.9
