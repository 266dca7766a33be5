"""Lower bounds on the length of plans, which are proved without a solver."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from fewest.planning.length_parity import length_parity
from fewest.planning.pair_mutexes import PairMutex, pair_mutexes
from fewest.planning.potential import Potential
from fewest.planning.projections import LayeredRelaxation, Projection, censuses, projections
from fewest.planning.task import PlanningTask

MAX_APART = 3_000
MAX_MOVES_APART = 8


class Bounds:
    """The small abstractions, the pair mutexes, the potential and the parity of the length of plans of a planning task;
    each is computed when it is first needed.
    """

    def __init__(self, planning: PlanningTask) -> None:
        self.planning = planning

    @cached_property
    def projections(self) -> list[Projection]:
        return projections(self.planning)

    @cached_property
    def pair_mutexes(self) -> list[PairMutex]:
        return pair_mutexes(self.planning)

    @cached_property
    def potential(self) -> Potential:
        return Potential(self.planning)

    @cached_property
    def length_parity(self) -> int | None:
        return length_parity(self.planning)

    @cached_property
    def _abstractions(self) -> list[LayeredRelaxation]:
        return [*self.projections, *censuses(self.planning)]

    @property
    def is_unsolvable(self) -> bool:
        """Whether some abstraction proves that no sequence of moves leads to a goal state."""
        return any(abstraction.is_unsolvable for abstraction in self._abstractions)

    def is_excluded(self, horizon: int, is_exact: bool) -> bool:
        """Whether an abstraction, the potential or the parity of the length proves that no plan has at most `horizon`
        moves (with `is_exact`: exactly `horizon` moves).
        """
        if is_exact and self.length_parity not in (None, horizon % 2):
            return True
        return self.potential.is_excluded(horizon, is_exact) or any(
            abstraction.is_excluded(horizon, is_exact) for abstraction in self._abstractions
        )

    def apart(self, image: Sequence[int] | None = None) -> dict[int, list[tuple[int, int]]]:
        """For each number k of moves (2, 3, … up to MAX_MOVES_APART), the pairs of facts (f, g) for which a projection
        proves that no sequence of at most k moves leads from a state with f to a state with g.

        There are at most MAX_APART pairs in all: larger numbers of moves are omitted. If an automorphism `image` is
        given, the projection must also prove this for f and the image of g. Chen, Xing and Zhang, Long-distance mutual
        exclusion for propositional planning (2007).
        """
        out: dict[int, list[tuple[int, int]]] = {}
        left = MAX_APART
        for num_moves in range(2, MAX_MOVES_APART + 1):
            pairs: list[tuple[int, int]] = []
            for projection in self.projections:
                if not projection.cells or not projection.facts:
                    continue
                facts = projection.facts
                apart = projection.far_apart(num_moves)
                if image is not None:
                    where = [facts.index(image[f]) if image[f] in facts else -1 for f in facts]
                    apart = apart & apart[:, where] & (np.array(where) >= 0)
                pairs += [(facts[one], facts[other]) for one, other in np.argwhere(apart).tolist()]
            left -= len(pairs)
            if not pairs or left < 0:
                break
            out[num_moves] = pairs
        return out
