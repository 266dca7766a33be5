"""The projection of a task onto a few of its pieces, in which all other pieces are removed from the board.

A state is projected onto a *set* P of true facts (pieces at spots, values of variables) and the *place* of the agent.
P is part of the state. Therefore, an operator cannot apply if P contains a fact that the operator requires to be false,
or a fact that excludes a fact that the operator requires to be true. If the operator moves a piece of P, this piece
also moves in the projection; all other preconditions and effects are ignored. Every plan of the task is therefore a
path in the projection. If no path leads to a set that some goal cube allows, there is no plan. The projection ignores
costs.

The *agent* is the exactly-one group that most operators change, if more than half of the operators change it. If a task
has no agent, there is only one place.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from fewest.model.task import Operator, Task, facts_in

MAX_FACTS = 3_000
MAX_OPERATORS = 30_000
MAX_GOALS = 256  # the maximum number of different goal cubes after projection


class PieceMove(NamedTuple):
    """An operator that moves pieces. Facts and places are bit sets."""

    conflicts: int
    """the facts that are false whenever the move applies"""
    needs: int
    sources: int
    """the possible places of the agent before the move"""
    target: int
    """the place of the agent after the move; -1: unchanged"""
    steps: tuple[tuple[int, int], ...]
    """for each moved piece, the bits of its facts (before, after); `after` is 0 if the piece is removed"""
    deleted: int


class AgentMove(NamedTuple):
    """An operator that moves the agent but no piece of the set."""

    conflicts: int
    needs: int
    sources: int
    target: int


class GoalView(Struct, frozen=True):
    """The sets that a goal cube allows, and the places of the agent that it allows. An allowed set contains no fact in
    `excluded`, and at most `most` facts of each set in `slacks`.
    """

    excluded: int
    slacks: tuple[tuple[int, int], ...]
    places: int

    def allows(self, pieces: int) -> bool:
        return not pieces & self.excluded and all(
            (pieces & facts).bit_count() <= most for facts, most in self.slacks
        )


class PieceView:
    """The tables of all projections of a task. `is_small`: whether the tables may be used. They are missing or
    incomplete if the task exceeds the limits, or has permutations or separate consequences.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        is_small = len(task.facts) <= MAX_FACTS and len(task.operators) <= MAX_OPERATORS
        self.is_small = is_small and not task.permutations and not task.consequences
        if not self.is_small:
            return
        self.excludes = _exclusions(task)
        self.groups = [(sum(1 << f for f in g.facts), g.count) for g in task.exactly]
        # Only in a group of several pieces can too many facts be true although no two of them exclude each other.
        self.large_groups = [(facts, count) for facts, count in self.groups if count > 1]
        agent = _agent(task)
        self.agent = sum(1 << fact for fact in agent)
        self.agent_facts = agent
        self._place_of = {fact: number for number, fact in enumerate(agent)}
        self.all_places = (1 << len(agent)) - 1 if agent else 1
        self.blocked_places = [
            self._places(mask) if agent else 0 for mask in self.excludes
        ]  # for each fact, the places of the agent that it blocks
        self.moves_of: list[list[PieceMove]] = [[] for _ in task.facts]
        # for each place, the places from which an unconditional move leads to it
        self._sources_of_place = [0] * len(agent)
        self._agent_moves: list[AgentMove] = []
        self._read_operators()
        self.goals = self._goals()
        self.is_small = len(self.goals) <= MAX_GOALS

    # -- the places that a set allows --------------------------------------------------------------------

    def open_places(self, pieces: int) -> int:
        """The places where the agent may be, given these pieces."""
        places = self.all_places
        for fact in facts_in(pieces):
            places &= ~self.blocked_places[fact]
        return places

    def has_room(self, facts: int) -> bool:
        """Whether every group has at least as many pieces as these facts need."""
        return all((facts & group).bit_count() <= count for group, count in self.large_groups)

    def is_consistent(self, pieces: int) -> bool:
        """Whether the invariants allow these facts to be true together."""
        return self.has_room(pieces) and not any(
            self.excludes[fact] & pieces for fact in facts_in(pieces)
        )

    def goal_places(self, pieces: int) -> int:
        """The places of the agent for which a goal cube allows these pieces."""
        places = 0
        for goal in self.goals:
            if goal.allows(pieces):
                places |= goal.places
        return places & self.open_places(pieces)

    def moves(self, pieces: int) -> list[tuple[PieceMove, int]]:
        """The moves of these pieces, each with the pieces after the move. The agent is ignored."""
        found: list[tuple[PieceMove, int]] = []
        for fact in facts_in(pieces):
            for move in self.moves_of[fact]:
                if pieces & move.conflicts or not self.has_room(pieces | move.needs):
                    continue
                found.append((move, after(move, pieces)))
        return found

    def backwards(self, pieces: int, places: int, within: int) -> int:
        """All places in `within` from which the agent can reach `places` without moving these pieces."""
        reached = places & within
        agent_moves = [
            walk
            for walk in self._agent_moves
            if not pieces & walk.conflicts and self.has_room(pieces | walk.needs)
        ]
        frontier = reached
        while frontier:
            while frontier:
                low = frontier & -frontier
                new = (
                    self._sources_of_place[low.bit_length() - 1] & within & ~reached
                    if self.agent
                    else 0
                )
                reached |= new
                frontier = (frontier ^ low) | new
            for walk in agent_moves:
                if reached >> walk.target & 1:
                    new = walk.sources & within & ~reached
                    reached |= new
                    frontier |= new
        return reached

    def place(self, state: int) -> int:
        """The agent's place in a state, as a single bit."""
        if not self.agent:
            return 1
        return 1 << self._place_of[(state & self.agent).bit_length() - 1]

    def facts_of_places(self, places: int) -> int:
        return sum(
            1 << fact for number, fact in enumerate(self.agent_facts) if places >> number & 1
        )

    # -- making the tables ----------------------------------------------------------------------------

    def _places(self, facts: int) -> int:
        return sum(1 << self._place_of[fact] for fact in facts_in(facts & self.agent))

    def _read_operators(self) -> None:
        task = self.task
        flips = 0
        for operator in task.operators:
            flips |= operator.flip
        fixed = self._fixed = task.initial & ~flips  # the facts that are always true
        never = self._never = ~(task.initial | flips)
        owners = self._owners()
        plain: set[tuple[int, int]] = set()
        agent_moves: dict[AgentMove, None] = {}
        for operator in task.operators:
            conflicts = operator.mask & ~operator.value
            for fact in facts_in(operator.value):
                conflicts |= self.excludes[fact]
            if conflicts & (operator.value | fixed) or operator.value & never:
                continue  # the operator never applies
            place = operator.value & self.agent
            sources = self._places(place) if place else self.all_places & ~self._places(conflicts)
            arrived = operator.flip & ~operator.value & self.agent
            target = self._place_of[arrived.bit_length() - 1] if arrived else -1
            needs = operator.value & ~self.agent & ~fixed
            conflicts &= ~self.agent
            deleted = operator.flip & operator.value & ~self.agent
            if deleted:
                move = PieceMove(
                    conflicts, needs, sources, target, _steps(operator, self.agent, owners), deleted
                )
                for fact in facts_in(deleted):
                    self.moves_of[fact].append(move)
            if target < 0:
                continue
            source = sources.bit_length() - 1
            if (
                sources.bit_count() == 1
                and not conflicts
                & ~(
                    self.excludes[self.agent_facts[source]]
                    | self.excludes[self.agent_facts[target]]
                )
                and not needs
            ):
                plain.add((source, target))
                self._sources_of_place[target] |= sources
            else:
                agent_moves[AgentMove(conflicts | deleted, needs, sources, target)] = None
        self._agent_moves = [
            walk
            for walk in agent_moves
            if walk.sources & ~self._sources_of_place[walk.target] & ~(1 << walk.target)
        ]

    def _owners(self) -> list[int]:
        """For each fact, the number of its exactly-k group; -1 if it is in no group."""
        owners = [-1] * len(self.task.facts)
        for number, group in enumerate(self.task.exactly):
            for fact in group.facts:
                owners[fact] = number
        return owners

    def _goals(self) -> list[GoalView]:
        views: dict[GoalView, None] = {}
        for mask, value in self.task.goal:
            excluded = mask & ~value
            for fact in facts_in(value):
                excluded |= self.excludes[fact]
            slacks: list[tuple[int, int]] = []
            for group, count in self.groups:
                slack = count - (value & group).bit_count()
                others = group & ~value & ~excluded & ~self.agent
                if slack <= 0:
                    excluded |= group & ~value
                elif value & group and others.bit_count() > slack:
                    slacks.append((others, slack))
            if excluded & (value | self._fixed) or value & self._never:
                continue  # no state is in this cube
            places = self.all_places & ~self._places(excluded)
            views[GoalView(excluded & ~self.agent, tuple(slacks), places)] = None
            if len(views) > MAX_GOALS:
                break
        return list(views)


def after(move: PieceMove, pieces: int) -> int:
    """The pieces after a move. A step of the move takes effect only if the set contains the piece that the step
    moves.
    """
    moved = pieces & ~move.deleted
    for before, then in move.steps:
        if pieces & before:
            moved |= then
    return moved


def _steps(operator: Operator, agent: int, owners: list[int]) -> tuple[tuple[int, int], ...]:
    """The steps of the moved pieces. Each deleted fact of a group is paired with an added fact of the same group;
    `from_fact` and `to_fact` are the first pair.

    Any one-to-one pairing is sound, because the pieces of a group are interchangeable.
    """
    deleted = facts_in(operator.flip & operator.value & ~agent)
    added = facts_in(operator.flip & ~operator.value & ~agent)
    steps: list[tuple[int, int]] = []
    source, target = operator.from_fact, operator.to_fact
    if source in deleted and target in added and owners[source] == owners[target] >= 0:
        steps.append((1 << source, 1 << target))
        deleted.remove(source)
        added.remove(target)
    for fact in deleted:
        found = next((f for f in added if owners[f] == owners[fact] >= 0), None)
        if found is None:
            steps.append((1 << fact, 0))
        else:
            added.remove(found)
            steps.append((1 << fact, 1 << found))
    return tuple(steps)


def _exclusions(task: Task) -> list[int]:
    """For each fact, the facts that are never true together with it."""
    excludes = [0] * len(task.facts)
    groups = [*task.at_most_one, *(g.facts for g in task.exactly if g.count == 1)]
    for facts in groups:
        every = sum(1 << fact for fact in facts)
        for fact in facts:
            excludes[fact] |= every & ~(1 << fact)
    return excludes


def _agent(task: Task) -> tuple[int, ...]:
    """The facts of the exactly-one group that most operators change. The result is empty unless more than half of the
    operators change this group.
    """
    best: tuple[int, tuple[int, ...]] = (len(task.operators) // 2, ())
    for group in task.exactly:
        if group.count == 1 and len(group.facts) > 1:
            facts = sum(1 << fact for fact in group.facts)
            named = sum(1 for operator in task.operators if operator.flip & facts)
            best = max(best, (named, group.facts), key=lambda pair: pair[0])
    return best[1]
