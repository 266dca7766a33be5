"""How often the optimal plans of a puzzle change the piece or the group of pieces that they move.

A piece of a state is a true fact: a piece of a class is at a cell. A counted move (`space.plans`) *moves* the pieces
that it makes false, and these pieces are then the facts that it makes true. Interchangeable pieces therefore need no
names: both functions follow the facts along the graph of the plans.

The functions take the facts of the pieces that they follow (`facts_of_moved_pieces`), and ignore moves that change none
of these facts.
"""

from __future__ import annotations

from functools import cached_property
from types import EllipsisType
from typing import TYPE_CHECKING, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fewest.model.task import PermutationOperator, facts_in, union
from fewest.space.plan_graph import PlanGraph, moved_facts
from fewest.space.state_graph import Watch, never_stop

if TYPE_CHECKING:
    from fewest.model.task import Task

# an array with this number of axes takes 64 kB or more
_MOST_PIECES = 16
# the limit for the number of edges times the number of ways to divide the pieces into groups, which takes a second
_MOST_WORK = 1 << 28

Switches = NDArray[np.uint8] | NDArray[np.uint32]


class TooManyDivisionsError(Exception):
    """There are too many ways to divide the pieces into groups."""


def facts_of_moved_pieces(task: Task, graph: PlanGraph) -> int:
    """The facts of the pieces that some optimal plan moves, without the pieces of agents.

    A class is an *agent*, such as the player of Sokoban, if every operator that moves pieces moves a piece of this
    class. If all classes that can move are agents, their pieces are followed as well.
    """
    class_of = [fact.class_id for fact in task.facts]
    movable: set[int] = set()
    agents: set[int] | None = None
    for operator in task.moves:
        if isinstance(operator, PermutationOperator):
            flip = moved_facts(operator)
        else:
            flip = operator.flip
        moved = {class_of[fact] for fact in facts_in(flip)} - {-1}
        if moved:
            movable |= moved
            agents = moved if agents is None else agents & moved
    followed = movable - (agents or set()) or movable
    changed = union(flip for move in graph.moves for flip, _ in move.changes)
    return union(1 << fact for fact in facts_in(changed) if class_of[fact] in followed)


def least_piece_changes(graph: PlanGraph, followed: int) -> int | None:
    """The least number, over all plans of the graph, of moves that move none of the pieces that the previous move
    moved; None if no piece is followed.

    At each node, only the plans with the least number so far are needed: they differ in the pieces that they moved
    last, and one more change makes up for any difference.
    """
    if not followed:
        return None
    # stands for the pieces of the previous move before the first move
    unmoved = 1 << followed.bit_length()
    best: dict[int, tuple[int, frozenset[int]]] = {0: (0, frozenset([unmoved]))}
    least: int | None = None
    for node, edges in enumerate(graph.edges):
        number, last = best.pop(node)
        if graph.is_end[node] and (least is None or number < least):
            least = number
        for edge in edges:
            total, pieces = number, last
            for flip, value in graph.moves[edge.move].changes:
                if flip & followed:
                    total += not any(one & (value | unmoved) for one in pieces)
                    pieces = frozenset([flip & ~value & followed])
            known = best.get(edge.target)
            if known is None or total < known[0]:
                best[edge.target] = total, pieces
            elif total == known[0]:
                best[edge.target] = total, known[1] | pieces
    return least


def least_returns(graph: PlanGraph, followed: int, watch: Watch = never_stop) -> int | None:
    """The least number of moves with which a plan returns to a group of pieces that it has left. The minimum is taken
    over all plans of the graph, and over all divisions of the pieces into two groups such that the plan moves pieces of
    both groups, but no move moves pieces of both. The result is None if no plan has such a division.

    A piece that appears during the plan may be in either group. Raises TooManyDivisionsError if the computation would
    take too long, and the exceptions of `watch`.
    """
    groups = _Groups(graph, followed)
    if groups.work > _MOST_WORK or groups.most_pieces > _MOST_PIECES:
        raise TooManyDivisionsError
    switches = groups.least_switches(watch)
    return None if switches is None else switches - 1


class _Groups:
    """Computes the least number of switches between two groups along the graph, for all divisions of the pieces."""

    def __init__(self, graph: PlanGraph, followed: int) -> None:
        self.graph, self.followed = graph, followed
        self.most_pieces = max((state & followed).bit_count() for state in graph.states)
        self.work = sum(map(len, graph.edges)) << self.most_pieces
        self.type = np.uint8 if _longest_plan(graph) < 255 else np.uint32
        self.none = np.iinfo(self.type).max  # the number for divisions without a plan

    def least_switches(self, watch: Watch) -> int | None:
        """The least number of switches between two groups that are both moved."""
        plans: dict[int, _PlansToNode] = {0: _PlansToNode(None, frozenset([0]))}
        least = self.none
        for node, edges in enumerate(self.graph.edges):
            here = plans.pop(node)
            if here.switches is not None and self.graph.is_end[node]:
                least = min(least, int(here.switches.min()))
            for edge in edges:
                there, state = here, self.graph.states[node]
                for flip, _ in self.graph.moves[edge.move].changes:
                    if flip & self.followed:
                        there = self._after(there, state & self.followed, flip & self.followed)
                    state ^= flip
                known = plans.get(edge.target)
                plans[edge.target] = there if known is None else known.joined(there)
            watch(len(self.graph), 0)
        return None if least == self.none else least

    def _after(self, here: _PlansToNode, before: int, flip: int) -> _PlansToNode:
        """The plans after a counted move from `before` to `before ^ flip`."""
        taken, put = before & flip, flip & ~before
        # marks that a plan has moved a piece, even if the piece is gone
        moved = 1 << self.followed.bit_length()
        single = frozenset(one & ~taken | put | moved for one in here.single)
        # A plan that has moved one group, without these pieces, may now begin with the other group.
        others = [one & ~moved for one in here.single if one and not one & taken]
        if here.switches is None and not others:
            return _PlansToNode(None, single)
        after = before ^ flip
        switches = np.full((2,) * after.bit_count(), self.none, dtype=self.type)
        of_group = switches[_at(after, put, 1)]
        if here.switches is not None:
            of_group[...] = here.before_next_move[_at(before, taken, 1)]
        rest = after & ~put
        for one in others:
            begun = of_group[_at(rest, one, 0)]
            np.minimum(begun, 1, out=begun)
        return _PlansToNode(switches, single)


class _PlansToNode(Struct, frozen=True, eq=False, dict=True):
    """The plans up to a node. `switches`: for plans that have moved both groups, the least number of switches for each
    division; None if there are no such plans. `single`: for plans that have moved only one group, the facts of its
    pieces, and a mark. All other pieces can be in either group.

    The array has one axis per followed piece of the state, in the order of the facts. The index on an axis is 1 if the
    piece is in the group that was moved last.
    """

    switches: Switches | None
    single: frozenset[int]

    @cached_property
    def before_next_move(self) -> Switches:
        """The numbers of switches, such that index 1 on an axis now means the group of the next move."""
        assert self.switches is not None
        none = np.iinfo(self.switches.dtype).max
        more = self.switches + (self.switches < none)  # if the next move is one of the other group
        return np.minimum(self.switches, np.flip(more))

    def joined(self, other: _PlansToNode) -> _PlansToNode:
        """The plans of both."""
        switches = self.switches
        if switches is None or other.switches is None:
            switches = other.switches if switches is None else switches
        else:
            switches = np.minimum(switches, other.switches)
        return _PlansToNode(switches, self.single | other.single)


def _at(state: int, pieces: int, index: Literal[0, 1]) -> tuple[int | slice | EllipsisType, ...]:
    """The part of an array for `state` in which these pieces have this index."""
    key: list[int | slice | EllipsisType] = [slice(None)] * state.bit_count()
    for fact in facts_in(pieces):
        key[(state & ((1 << fact) - 1)).bit_count()] = index
    return (*key, ...)


def _longest_plan(graph: PlanGraph) -> int:
    """The greatest number of counted moves of a plan."""
    lengths = [0] * len(graph)
    for node, edges in enumerate(graph.edges):
        for edge in edges:
            length = lengths[node] + len(graph.moves[edge.move].changes)
            lengths[edge.target] = max(lengths[edge.target], length)
    return max(lengths)
