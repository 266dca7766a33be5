"""All positions that cost less than a bound, layer by layer, or all reachable positions, as a section of a certificate.

The search works on the task. The soundness of the certificate does not depend on the task, because `rules_checker`
plays the moves from each position by the rules. If the bound of a node (see `rules_checker`) follows from other nodes,
the node is neither listed nor expanded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import comb, prod

from fewest.analysis.potentials import potential
from fewest.analysis.unsolvability import LinearInvariant
from fewest.certificates.container import Budget, encode_head, encode_number
from fewest.certificates.make_invariant import sum_row
from fewest.certificates.metric_tables import all_parts
from fewest.certificates.positions import MAX_SPOTS, GroupRow
from fewest.certificates.potential import BoundHead
from fewest.certificates.rules_checker import LayersHead
from fewest.errors import InternalError, UsageError
from fewest.model.costs import flips_of
from fewest.model.metric import Metric, Parts
from fewest.model.puzzle import Puzzle
from fewest.model.task import Operator, PermutationOperator, Task, facts_in, index_fact, union

Keys = tuple[int, ...]  # the key of the run in each part; -1 for no run
NODE = 700  # the number of bytes that a node takes during the search, including the moves from it


def layers_section(
    puzzle: Puzzle, task: Task, metric: Metric, bound: Parts | None, budget: Budget
) -> Iterator[bytes]:
    """The section that proves `bound`, or that there is no plan (None).

    The function takes about 20 µs per move. Raises TooLargeError, InternalError if the bound is wrong, and UsageError
    if there are more spots than a certificate may have.
    """
    rules = _Rules(task, metric if bound is not None else Metric(metric.name, ()))
    found = _search(rules, bound, budget)
    numbers = StateNumbers(
        puzzle, task, union(state for layer in found.values() for state in layer)
    )
    yield encode_head(_head(rules, numbers, bound, found))
    yield from _body(rules, numbers, found)


def bound_section(
    puzzle: Puzzle, task: Task, metric: Metric, bound: int, budget: Budget
) -> Iterator[bytes]:
    """The section that proves `bound` and lists only the positions that a potential does not exclude.

    Raises the same errors as `layers_section`; also raises UsageError if the metric has two parts or merges moves, or
    if the task has moves other than operators.
    """
    if len(metric.parts) != 1 or metric.parts[0].merge != "none":
        raise UsageError(
            f"--kind bound does not support the metric `{metric.name}`, because it is lexicographic "
            "or merges moves",
            hint="use --kind layers",
        )
    rules = _Rules(task, metric)
    weights = potential(task, rules.parts[0].weights, bound)
    found = _search(rules, (bound,), budget, weights)
    numbers = StateNumbers(
        puzzle, task, union(state for layer in found.values() for state in layer)
    )
    row = sum_row(task, LinearInvariant(weights, 0))
    yield encode_head(BoundHead(_head(rules, numbers, (bound,), found), row))
    yield from _body(rules, numbers, found)


def bound_of_nothing(metric: Metric) -> Iterator[bytes]:
    """The section that proves a bound of 0 in every part. No position costs less than 0, so the list of positions is
    empty.
    """
    yield encode_head(LayersHead((0,) * len(metric.parts), (), ((),) * len(metric.parts), ()))


FoundLayers = dict[Parts, dict[int, list[Keys]]]


def _head(
    rules: _Rules, numbers: StateNumbers, bound: Parts | None, found: FoundLayers
) -> LayersHead:
    return LayersHead(
        bound,
        numbers.named_groups(),
        tuple(part.rows for part in rules.parts),
        tuple((cost, len(layer)) for cost, layer in found.items()),
    )


def _body(rules: _Rules, numbers: StateNumbers, found: FoundLayers) -> Iterator[bytes]:
    has_runs = any(part.rows for part in rules.parts)
    for layer in found.values():
        rows = sorted((numbers.number(state), keys) for state, keys in layer.items())
        last = -1
        for number, _ in rows:
            yield encode_number(number - last - 1)
            last = number
        for _, listed in rows if has_runs else []:
            yield encode_number(len(listed) - 1)
            for keys in sorted(listed):
                for part, key in zip(rules.parts, keys, strict=True):
                    if part.rows:
                        yield encode_number(key + 1)


class _Rules:
    """The moves of a task, indexed by one fact of their preconditions, and their costs."""

    def __init__(self, task: Task, metric: Metric) -> None:
        self.task = task
        self.parts = all_parts(task, metric)
        self.by_fact: list[list[tuple[int, Operator | PermutationOperator]]] = [
            [] for _ in range(len(task.facts) + 1)
        ]
        self.flips = flips_of(task)
        for index, move in enumerate(task.moves):
            fact = index_fact(move) if isinstance(move, Operator) else -1
            self.by_fact[fact].append((index, move))

    def successors(self, state: int) -> Iterator[tuple[int, int]]:
        """Each move that is applicable in a state, with the successor to which it leads."""
        task = self.task
        for fact in (*facts_in(state), -1):
            for index, move in self.by_fact[fact]:
                if move.is_applicable(state):
                    after = task.after(index, state)
                    if after is not None and not task.is_forbidden(after):
                        yield index, after

    def step(self, index: int, cost: Parts, keys: Keys) -> tuple[Parts, Keys]:
        """The total cost after a move, and the merged moves in progress after it."""
        flip = self.flips[index]
        paid = [part.step(index, flip, key) for part, key in zip(self.parts, keys, strict=True)]
        return (
            tuple(c + p for c, (p, _) in zip(cost, paid, strict=True)),
            tuple(key for _, key in paid),
        )

    def is_known(self, nodes: list[tuple[Parts, Keys]], cost: Parts, keys: Keys) -> bool:
        """Whether these nodes of a state imply that the bound of the state with the merged moves `keys` is at most
        `cost`.
        """
        return any(
            tuple(
                c + (0 if key in (-1, other) else part.rows[key].weight)
                for part, c, key, other in zip(self.parts, at, keys, others, strict=True)
            )
            <= cost
            for at, others in nodes
        )


@dataclass
class _Queue:
    """A priority queue of nodes without duplicates. The cheapest node comes first."""

    heap: list[tuple[Parts, int, Keys]] = field(default_factory=list)
    put: set[tuple[Parts, int, Keys]] = field(default_factory=set)

    def add(self, node: tuple[Parts, int, Keys]) -> None:
        if node not in self.put:
            self.put.add(node)
            heappush(self.heap, node)


def _search(
    rules: _Rules, bound: Parts | None, budget: Budget, weights: Mapping[int, int] | None = None
) -> FoundLayers:
    """The layers, in order of cost. Each layer maps its states to the merged moves of the nodes that are listed for
    them. With `weights`, a node is omitted if its cost plus the sum of the weights of its true facts reaches the bound.

    The algorithm is Dijkstra's (1959). Raises InternalError if a listed state is a goal state, and TooLargeError.
    """
    queue = _Queue()
    nothing = (0,) * len(rules.parts)
    queue.add((nothing, rules.task.initial, (-1,) * len(rules.parts)))
    nodes_of: dict[int, list[tuple[Parts, Keys]]] = {}
    layers: FoundLayers = {}
    moves_of: dict[int, list[tuple[int, int]]] = {}
    while queue.heap:
        cost, state, keys = heappop(queue.heap)
        nodes = nodes_of.setdefault(state, [])
        if rules.is_known(nodes, cost, keys):
            continue
        if not nodes:
            if rules.task.is_goal(state):
                raise InternalError(f"a goal is reached at a cost of {cost}, below {bound}")
            moves_of[state] = list(rules.successors(state))
        nodes.append((cost, keys))
        layers.setdefault(cost, {}).setdefault(state, []).append(keys)
        budget.spend(len(queue.put) * NODE)
        for index, after in moves_of[state]:
            total, runs = rules.step(index, cost, keys)
            if bound is not None:
                if total >= bound:
                    continue
                if (
                    weights
                    and total[0] + sum(weights.get(f, 0) for f in facts_in(after)) >= bound[0]
                ):
                    continue
            queue.add((total, after, runs))
    return layers


class StateNumbers:
    """Numbers the states of the task in the same way as `positions.PositionNumbering`. The groups of the numbering
    consist of the facts in `facts`.
    """

    def __init__(self, puzzle: Puzzle, task: Task, facts: int) -> None:
        self.digits: list[tuple[int, int | None, dict[int, int], int]] = []
        rows: list[GroupRow] = []
        pieces = sum(1 << f for f in facts_in(facts) if task.facts[f].class_id >= 0)
        groups = [(union(1 << f for f in g.facts) & pieces, g.count) for g in task.exactly]
        left = pieces & ~union(mask for mask, _ in groups)
        for mask, count in [*groups, (left, None)]:
            members = facts_in(mask)
            if not members:
                continue
            rows.append(
                GroupRow(
                    tuple((task.facts[f].class_id, task.facts[f].cell) for f in members), count
                )
            )
            radix = 1 << len(members) if count is None else comb(len(members), count)
            self.digits.append((mask, count, {f: at for at, f in enumerate(members)}, radix))
        self.groups = tuple(rows)
        self.values = self._values(puzzle, task)
        self.size = prod([digit[-1] for digit in self.digits] + [v[-1] for v in self.values])

    def _values(self, puzzle: Puzzle, task: Task) -> list[tuple[int, dict[int, int], int]]:
        """For each variable, its facts, the index of each value, and the number of its values."""
        out: list[tuple[int, dict[int, int], int]] = []
        for slot, variable in enumerate(puzzle.variables):
            place = {
                0: variable.values.index(variable.initial)
            }  # a variable without facts never changes
            for at, value in enumerate(variable.values):
                fact = task.fact_of_value.get((slot, value))
                if fact is not None:
                    place[1 << fact] = at
            out.append((union(place), place, len(variable.values)))
        return out

    @property
    def can_be_named(self) -> bool:
        """Whether the number of spots does not exceed the limit for certificates."""
        return sum(len(group.spots) for group in self.groups) <= MAX_SPOTS

    def named_groups(self) -> tuple[GroupRow, ...]:
        """The groups in the format of a section's head. Raises UsageError if there are more spots than a head may
        have.
        """
        if not self.can_be_named:
            raise UsageError(
                f"layers of positions with over {MAX_SPOTS:,} spots cannot be written",
                hint="--kind plan and --kind clauses have no such limit",
            )
        return self.groups

    def number(self, state: int) -> int:
        """The number of a state. The function takes a few microseconds."""
        out = 0
        for mask, count, place, radix in self.digits:
            places = [place[fact] for fact in facts_in(state & mask)]
            if count is None:
                digit = sum(1 << at for at in places)
            else:
                digit = sum(comb(at, i) for i, at in enumerate(places, 1))
            out = out * radix + digit
        for mask, place, radix in self.values:
            out = out * radix + place[state & mask]
        return out
