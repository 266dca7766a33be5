"""The measures of difficulty: their formulas and sources, and the values that the graph of all positions determines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from fewest.model.answer import Cost

if TYPE_CHECKING:
    from fewest.space.distances import Distances
    from fewest.space.state_graph import StateSpace


_SOKOBAN = "after Jarušek and Pelánek, Difficulty rating of Sokoban puzzle, STAIRS 2010"
_READING = (
    "the exact definition in the paper may differ, for instance in the plans that it considers"
)
_AGENTS = (
    "pieces of a class that moves in every move, such as the player of Sokoban, are not counted"
)


class Measure(Struct, frozen=True):
    """A measure of difficulty: its value, its formula and its source.

    `reason`: why the value is None; None if the measure has a value or a limit stopped the computation.
    """

    name: str
    value: float | None
    formula: str
    source: str
    reason: str | None = None

    @property
    def result(self) -> str:
        """The value or, if it is None, the reason, in words."""
        if self.value is not None:
            return f"{self.value:,.6g}"
        return "not computed" if self.reason is None else f"not computed, because {self.reason}"


def chance_of_optimal(space: StateSpace, distances: Distances) -> float:
    """The probability that uniformly random choices of each next position follow an optimal plan."""
    levels = distances.of_states.tolist()
    nexts = {0: _next_states(space, 0)}
    order = [0]
    for state in order:
        for target in nexts[state]:
            if levels[target] == levels[state] - 1 and target not in nexts:
                nexts[target] = [] if levels[target] == 0 else _next_states(space, target)
                order.append(target)
    order.sort(key=lambda state: int(levels[state]))
    chance: dict[int, float] = {}
    for state in order:
        if levels[state] == 0:
            chance[state] = 1.0
            continue
        good = [t for t in nexts[state] if levels[t] == levels[state] - 1]
        chance[state] = sum(chance[target] for target in good) / len(nexts[state])
    return chance[0]


def mobility(space: StateSpace, states: Sequence[int]) -> float | None:
    """The mean number of different next positions in these states; None if there are no states."""
    if not states:
        return None
    return sum(len(_next_states(space, space.find(state))) for state in states) / len(states)


def _next_states(space: StateSpace, state: int) -> list[int]:
    targets = space.target[space.first[state] : space.first[state + 1]].tolist()
    return sorted({int(target) for target in targets if target != state})


def within(space: StateSpace, depth: int) -> int:
    """The number of positions within `depth` moves of the start."""
    seen, layer = {0}, [0]
    for _ in range(depth):
        layer = [t for state in layer for t in _next_states(space, state) if t not in seen]
        layer = list(dict.fromkeys(layer))
        seen.update(layer)
    return len(seen)


def effective_branching(number: int, depth: int) -> float | None:
    """The branching factor b of a uniform tree of this depth with `number` nodes: number = 1 + b + … + b^depth. The
    result is None if the depth is 0 or no b of at least 1 satisfies the equation.
    """
    if depth < 1 or number <= depth:
        return None
    low, high = 0.0, float(number)
    for _ in range(200):
        middle = (low + high) / 2
        total = 0.0
        for _ in range(depth + 1):
            total = total * middle + 1
            if total > number:
                break
        low, high = (low, middle) if total > number else (middle, high)
    return low


def measures(minimum: Cost) -> tuple[Measure, ...]:
    """All measures, with a value for the length only."""
    ours = "this project"
    return (
        Measure(
            "length",
            float(minimum) if isinstance(minimum, int) else None,
            "the minimum; Rush Hour boards are ranked by it",
            "Collette, Raskin and Servais, On the symbolic computation of the hardest configurations of the Rush Hour"
            " game, Computers and Games 2006",
        ),
        Measure(
            "moves away from the goal",
            None,
            "the number of moves in one optimal plan after which d rises; d is the least sum, over the cubes of the"
            " goal, of the fewest operators that bring a piece to each cell of the cube with nothing in the way",
            ours,
        ),
        Measure(
            "bottlenecks",
            None,
            "the number of positions that every optimal plan passes, the start included",
            f"{ours}; for bottlenecks in Sokoban see Jarušek and Pelánek, Human problem solving: Sokoban case study,"
            " FIMU-RS-2010-01",
        ),
        Measure(
            "piece changes",
            None,
            "the least number, over all optimal plans, of moves that move none of the pieces that the previous move"
            f" moved; {_AGENTS}",
            f"{_SOKOBAN}, as the number of box changes; {_READING}",
        ),
        Measure(
            "decomposition",
            None,
            "divide the pieces that an optimal plan moves into two groups, so that each move moves pieces of one group;"
            " the least number, over all optimal plans and divisions, of moves that return to a group that the plan has"
            f" left; 0: one group is finished before the other is moved; {_AGENTS}",
            f"{_SOKOBAN}, as problem decomposition; {_READING}",
        ),
        Measure(
            "dead positions",
            None,
            "the share of reachable positions from which no goal can be reached",
            ours,
        ),
        Measure(
            "mobility",
            None,
            "the mean number of different next positions, over the positions of one optimal plan before the goal",
            "Li, Bnaya and Ma, Predicting human decisions in a sequential planning puzzle with a large state space,"
            " Annual Meeting of the Cognitive Science Society 2019: in Rush Hour, people make more errors in positions"
            " with more moves",
        ),
        Measure(
            "bits of choice",
            None,
            "-log2 p, where p is the chance to follow an optimal plan for a player that chooses among all next"
            " positions with equal chances",
            ours,
        ),
        Measure(
            "effective branching factor",
            None,
            "the b with N = 1 + b + b^2 + … + b^L, where N is the number of positions within L moves of the start and L"
            " is the minimum",
            "Russell and Norvig, Artificial Intelligence, section on heuristic functions",
        ),
    )
