"""Abstractions of a task that treat similar pieces as identical, or ignore some facts.

An abstraction maps facts to fewer facts, or to none. Each move of the task becomes a move of the abstract task with at
most the same cost, or has no effect there. Therefore, the cost from the image of a state to the goal is a lower bound
on the cost from the state (Culberson and Schaeffer, Pattern databases, 1998). This heuristic is admissible and
consistent in every metric without free moves, including metrics with merged moves: a merged move of one piece is a
merged move of the piece's image.

Several facts may have the same image only if the groups of the task imply that no two of them are ever true together.
Then the image of a state is again a set of facts, and the image of a flip is again a flip.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from fewest.analysis.regression import exclusions
from fewest.model.metric import Metric
from fewest.model.task import Cube, Group, Operator, Task, facts_in


class Abstraction(Struct, frozen=True):
    """An abstract task, and the image of each fact."""

    task: Task
    image: tuple[int, ...]
    """the image of each fact; -1 for ignored facts"""
    loses_runs: bool
    """whether some move has no effect in the abstract task although it moves the piece that metrics with merged moves
    count; a merged move that contains this move may have no image
    """

    def suits(self, metric: Metric) -> bool:
        """Whether abstract costs are lower bounds in a metric without free moves."""
        return not self.loses_runs or all(part.merge == "none" for part in metric.parts)


def alike(task: Task) -> list[list[tuple[int, ...]]]:
    """Sets of at least two pieces that have the same cells and, from each cell, moves of the same kinds. The kind of a
    move consists of its rule, its binding, its direction and the number of facts that it flips. Each piece is
    represented by the tuple of its facts, in the same order for all pieces of a set.

    A piece is a group of facts with exactly one true fact. The cell of the piece follows from the at-most-one groups,
    which represent the cells. The time is linear in the number of flips of all operators.
    """
    cells: list[tuple[int, ...]] = [()] * len(task.facts)
    for number, facts in enumerate(task.at_most_one):
        for fact in facts:
            cells[fact] = (*cells[fact], number)
    moves: list[set[tuple[object, ...]]] = [set() for _ in task.facts]
    for operator in task.operators:
        move = (operator.rule, operator.binding, operator.direction, operator.flip.bit_count())
        for fact in facts_in(operator.flip & operator.value):
            moves[fact].add(move)
    found: dict[frozenset[object], list[tuple[int, ...]]] = {}
    for group in task.exactly:
        places = {cells[fact]: fact for fact in group.facts}
        if group.count != 1 or () in places or len(places) < len(group.facts):
            continue
        key = frozenset((place, frozenset(moves[fact])) for place, fact in places.items())
        found.setdefault(key, []).append(tuple(places[place] for place in sorted(places)))
    return [pieces for pieces in found.values() if len(pieces) > 1]


def without_names(task: Task, sets: Iterable[Sequence[Sequence[int]]]) -> Abstraction:
    """The abstraction in which the pieces of each set are indistinguishable. The sets come from `alike`, or are subsets
    of such sets. Raises UsageError if the task has moves other than operators.
    """
    of = list(range(len(task.facts)))
    for pieces in sets:
        for facts in pieces[1:]:
            for fact, first in zip(facts, pieces[0], strict=True):
                of[fact] = first
    mapped_facts = sorted(set(of))
    number = {fact: i for i, fact in enumerate(mapped_facts)}
    return abstraction(task, tuple(number[fact] for fact in of))


def only(task: Task, facts: int) -> Abstraction | None:
    """The abstraction that keeps a set of facts, or None if a move of an ignored piece changes one of these facts.
    Raises UsageError if the task has moves other than operators.
    """
    image = [-1] * len(task.facts)
    for number, fact in enumerate(facts_in(facts)):
        image[fact] = number
    # a metric that merges moves depends on the piece that moves, so this piece must not be ignored
    for operator in task.operators:
        if (
            operator.flip & facts
            and operator.from_fact >= 0
            and not facts >> operator.from_fact & 1
        ):
            return None
    return abstraction(task, tuple(image))


def goal_pieces(task: Task) -> list[int]:
    """The pieces (sets of facts with exactly one true fact) that have a place in every goal cube."""
    values = [value for _, value in task.goal]
    pieces = (sum(1 << fact for fact in g.facts) for g in task.exactly if g.count == 1)
    return [piece for piece in pieces if values and all(value & piece for value in values)]


def abstraction(task: Task, image: tuple[int, ...]) -> Abstraction:
    """The abstract task that results from mapping the facts.

    Facts with the same image must exclude each other because of the groups of the task. The abstract task keeps those
    cubes of `forbid` that mean the same in it. If the start is forbidden, the abstract task has no forbidden cubes,
    because every plan begins in a forbidden state. Raises UsageError if the task has moves other than operators.
    """
    task.require_operators("an abstraction")
    maker = _Maker(task, image)
    operators = maker.operators()
    goals = [
        tuple(dict.fromkeys(filter(None, map(maker.cube, cubes)))) for cubes in task.goal_lists
    ]
    if not all(goals):  # no state is in a cube of every list
        goals = [()]
    exactly = maker.exactly()
    abstract = replace(
        task,
        facts=tuple(maker.facts),
        operators=operators,
        initial=maker.mapped(task.initial),
        goal=goals[0],
        further_goals=tuple(goals[1:]),
        forbid=() if task.is_forbidden(task.initial) else maker.forbid(),
        exactly=exactly,
        at_most_one=maker.at_most_one(operators),
        fact_of_spot={},
        fact_of_value={},
    )
    return Abstraction(abstract, image, maker.loses_runs)


class _Maker:
    """The parts of an abstract task."""

    def __init__(self, task: Task, image: tuple[int, ...]) -> None:
        self.task, self.image = task, image
        # for each abstract fact, the facts with this image
        self.members = [0] * (max(image, default=-1) + 1)
        self.facts = list(task.facts[: len(self.members)])
        self.mapped_facts = sum(1 << fact for fact, to in enumerate(image) if to >= 0)
        for fact, to in enumerate(image):
            if to >= 0:
                self.members[to] |= 1 << fact
                self.facts[to] = task.facts[fact]
        self.excluded = exclusions(task)
        self.loses_runs = False
        self.by_distance: dict[int, int] = {}
        """the facts, grouped by the difference between the number of a fact and the number of its image"""
        for fact, to in enumerate(image):
            if to >= 0:
                self.by_distance[fact - to] = self.by_distance.get(fact - to, 0) | 1 << fact

    def mapped(self, facts: int) -> int:
        """The images of a set of facts. Facts that have the same difference are mapped together, by one shift."""
        facts &= self.mapped_facts
        out = 0
        if facts.bit_count() < len(self.by_distance):
            for fact in facts_in(facts):
                out |= 1 << self.image[fact]
        else:
            for distance, those in self.by_distance.items():
                moved = facts & those
                out |= moved >> distance if distance >= 0 else moved << -distance
        return out

    def forbid(self) -> tuple[Cube, ...]:
        """The images of forbidden cubes. A cube is included only if each of its facts has an image that no other fact
        has.
        """
        alone = sum(
            1 << fact
            for fact, to in enumerate(self.image)
            if to >= 0 and self.members[to] == 1 << fact
        )
        return tuple(
            (self.mapped(mask), self.mapped(value))
            for mask, value in self.task.forbid
            if not mask & ~alone
        )

    def cube(self, cube: Cube) -> Cube | None:
        """A cube that contains the images of all states in a cube that satisfy the groups; None if the groups show that
        there is no such state.
        """
        mask, value = cube
        true = self.mapped(value)
        if true.bit_count() < (value & self.mapped_facts).bit_count():
            return None
        false = mask & ~value
        for fact in facts_in(value):
            false |= self.excluded[fact]
        if false & value:
            return None
        # an abstract fact is false if all facts with this image are false
        gone = self.mapped(false) & ~self.mapped(self.mapped_facts & ~false) & ~true
        return true | gone, true

    def operators(self) -> tuple[Operator, ...]:
        """The images, without duplicates, of all operators that can apply and have an effect in the abstract task."""
        found: dict[tuple[object, ...], Operator] = {}
        for operator in self.task.operators:
            cube = self.cube((operator.mask, operator.value))
            if cube is None:
                continue
            removed = self.mapped(operator.flip & operator.value)
            added = self.mapped(operator.flip & ~operator.value)
            flip = removed ^ added
            from_fact, to_fact = (
                self.image[fact] if fact >= 0 else -1
                for fact in (operator.from_fact, operator.to_fact)
            )
            if not flip:
                self.loses_runs = self.loses_runs or from_fact != to_fact
                continue
            moved = replace(
                operator,
                mask=cube[0] | flip,
                value=cube[1],
                flip=flip,
                from_fact=from_fact,
                to_fact=to_fact,
            )
            key = (
                *(moved.mask, moved.value, flip, from_fact, to_fact),
                *(moved.ring, moved.direction, moved.rule, moved.binding),
            )
            found.setdefault(key, moved)
        return tuple(found.values())

    def exactly(self) -> tuple[Group, ...]:
        """The images of those groups that consist of mapped facts. Groups that have images in common are joined. An
        image is omitted if a fact outside these groups is also mapped into it.
        """
        parts: list[tuple[int, int]] = []
        whole = [
            g for g in self.task.exactly if not sum(1 << f for f in g.facts) & ~self.mapped_facts
        ]
        for group in whole:
            facts, count = self.mapped(sum(1 << fact for fact in group.facts)), group.count
            for other in [part for part in parts if part[0] & facts]:
                parts.remove(other)
                facts, count = facts | other[0], count + other[1]
            parts.append((facts, count))
        grouped = sum(1 << fact for group in whole for fact in group.facts)
        return tuple(
            Group(tuple(facts_in(facts)), count)
            for facts, count in parts
            if facts and not any(self.members[fact] & ~grouped for fact in facts_in(facts))
        )

    def at_most_one(self, operators: Sequence[Operator]) -> tuple[tuple[int, ...], ...]:
        """Those images of groups that every operator of the abstract task provably preserves."""
        groups = {
            self.mapped(sum(1 << fact for fact in facts)) for facts in self.task.at_most_one
        } - {0}
        of_fact: list[list[int]] = [[] for _ in self.members]
        for group in groups:
            for fact in facts_in(group):
                of_fact[fact].append(group)
        broken: set[int] = set()
        for operator in operators:
            added = operator.flip & ~operator.value
            false = operator.mask & ~operator.value
            for fact in facts_in(added):
                for group in of_fact[fact]:
                    is_alone = added & group == 1 << fact
                    leaves = operator.flip & operator.value & group
                    if not (is_alone and (leaves or not group & ~false)):
                        broken.add(group)
        return tuple(tuple(facts_in(group)) for group in sorted(groups - broken))
