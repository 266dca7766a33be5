"""What must happen before an operator can be done: the way of a piece out of the way, or to its place.

Every piece class and every variable is looked at alone: its facts are places, and an operator that
deletes one and adds another is a step from place to place. A step costs one, and one more for each
fact that hinders it in the present state, so a way prefers what is free but does not insist on it;
who hinders it is freed in turn when its time comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from itertools import islice

from fewest.model.task import Task, facts_in

Plan = tuple[int, "Plan"] | None  # an operator and the rest, or nothing more

_MAX_WAYS = 4  # ways out, or to a place, that are looked at
_MAX_DEPTH = 40  # operators that wait for one another
_MAX_TRIES = 200  # replacements at one state
_MAX_CUBES = 256  # goal cubes that are compared


class Ways:
    """The steps of every piece and variable, and the plans made of them."""

    def __init__(self, task: Task) -> None:
        self.task = task
        # fact -> fact it can become -> operators; -1 is "gone"
        self.leaving: dict[int, dict[int, list[int]]] = {}
        self.created: dict[int, list[int]] = {}  # fact -> operators that add it from nothing
        self.tries = 0  # replacements that are still allowed at this state
        owners: dict[tuple[int, int], int] = {}
        for number, fact in enumerate(task.facts):
            key = (fact.class_id, fact.slot)
            owners[key] = owners.get(key, 0) | 1 << number
        # fact -> all facts of its class or variable
        self.owned = [owners[fact.class_id, fact.slot] for fact in task.facts]
        for number, operator in enumerate(task.operators):
            deleted, added = operator.flip & operator.value, operator.flip & ~operator.value
            if operator.from_fact >= 0 and operator.to_fact >= 0:
                self._add(operator.from_fact, operator.to_fact, number)
                deleted &= ~(1 << operator.from_fact)
                added &= ~(1 << operator.to_fact)
            for source in facts_in(deleted):
                targets = facts_in(added & self.owned[source])
                for target in targets or [-1]:
                    self._add(source, target, number)
            for target in facts_in(added):
                if not deleted & self.owned[target]:
                    self.created.setdefault(target, []).append(number)

    def _add(self, source: int, target: int, operator: int) -> None:
        self.leaving.setdefault(source, {}).setdefault(target, []).append(operator)

    # -- plans ----------------------------------------------------------------------------------------

    def plans_at(self, state: int, plan: Plan, most: int) -> list[tuple[int, Plan]]:
        """Up to `most` ways to go on from a state: an operator that can be done, and what follows.

        They come from the plan, the most promising first; from fresh ones if there is no plan or it
        is stuck.
        """
        self.tries = _MAX_TRIES
        if plan is not None:
            found = list(islice(self._refined(state, plan), most))
            if found:
                return found
        found = []
        for fresh in self._goal_plans(state):
            found += islice(self._refined(state, fresh), most - len(found))
            if len(found) >= most:
                break
        return found

    def _goal_plans(self, state: int) -> list[Plan]:
        """For the goal cube that lacks least: the way of each piece that it lacks, the shortest first."""
        cubes = self.task.goal[:_MAX_CUBES]
        if not cubes:
            return []
        mask, value = min(cubes, key=lambda cube: ((state & cube[0]) ^ cube[1]).bit_count())
        found: list[tuple[int, int, tuple[int, ...]]] = []
        for fact in facts_in((state & mask) ^ value):
            for cost, way in self._repairs(state, fact, mask, value):
                found.append((cost, len(found), way))
        found.sort()
        return [_before(way, None) for _, _, way in found[: 2 * _MAX_WAYS]]

    def _refined(self, state: int, plan: Plan, depth: int = 0) -> Iterator[tuple[int, Plan]]:
        """The plan with its first operator replaced until it can be done, in every way.

        No operator is put before itself: what waits already would wait for ever.
        """
        assert plan is not None
        operator = self.task.operators[plan[0]]
        hindered = (state & operator.mask) ^ operator.value
        if not hindered:
            if not self.task.is_forbidden(operator.apply(state)):
                yield plan
            return
        if depth == _MAX_DEPTH:
            return
        waiting = set(_steps(plan))
        first = hindered & state or hindered  # what is in the way, before what is missing
        fact = (first & -first).bit_length() - 1
        for _, way in self._repairs(state, fact, operator.mask, operator.value):
            self.tries -= 1
            if self.tries < 0:
                return
            if waiting.isdisjoint(way):
                yield from self._refined(state, _before(way, plan), depth + 1)

    # -- ways -----------------------------------------------------------------------------------------

    def _repairs(
        self, state: int, fact: int, mask: int, value: int
    ) -> list[tuple[int, tuple[int, ...]]]:
        """Operators after which the fact is as the cube wants it, with their costs, cheapest first."""
        if state >> fact & 1:  # it must go, and nowhere else where the cube does not want it
            unwanted = mask & ~value
            return self._shortest(
                state, 1 << fact, lambda place: place < 0 or not unwanted >> place & 1
            )
        sources = state & self.owned[fact] & ~value
        found = self._shortest(state, sources, lambda place: place == fact)
        for number in self.created.get(fact, ())[:_MAX_WAYS]:
            found.append((1 + self._hindrance(number, state), (number,)))
        return sorted(found)

    def _shortest(
        self, state: int, sources: int, is_target: Callable[[int], bool]
    ) -> list[tuple[int, tuple[int, ...]]]:
        """Dijkstra's algorithm over the places; the shortest way to each of the nearest targets."""
        queue: list[tuple[int, int, int, int, Plan]] = []
        for source in facts_in(sources):
            queue.append((0, len(queue), source, source, None))
        ticket = len(queue)
        done: set[int] = set()
        found: list[tuple[int, tuple[int, ...]]] = []
        while queue and len(found) < _MAX_WAYS:
            cost, _, place, source, way = heappop(queue)
            if place in done:
                continue
            done.add(place)
            if way is not None and is_target(place):
                found.append((cost, _steps(way)[::-1]))
                continue
            if place < 0:  # gone: from there it goes nowhere
                continue
            there = (state & ~(1 << source)) | 1 << place
            for following, numbers in self.leaving.get(place, {}).items():
                if following in done:
                    continue
                hindrance, number = min((self._hindrance(n, there), n) for n in numbers)
                ticket += 1
                heappush(queue, (cost + 1 + hindrance, ticket, following, source, (number, way)))
        return found

    def _hindrance(self, number: int, state: int) -> int:
        operator = self.task.operators[number]
        return ((state & operator.mask) ^ operator.value).bit_count()


def _before(way: tuple[int, ...], plan: Plan) -> Plan:
    for step in reversed(way):
        plan = (step, plan)
    return plan


def _steps(plan: Plan) -> tuple[int, ...]:
    out: list[int] = []
    while plan is not None:
        step, plan = plan
        out.append(step)
    return tuple(out)
