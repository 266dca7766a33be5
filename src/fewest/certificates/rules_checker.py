"""The rules checker: it plays plans, and all moves from the positions of layers, by the rules.

It imports only `container`, `positions`, the language (`model`) and the interpreter of the rules (`playing`). Callers
read the puzzle with `embedded_puzzle`, which uses `reading`. Only these must be correct, not the search or a solver.

**Layers.** A *node* is a position with the *run* of each part of the metric: the merged move that led to the position
(see `playing.price`), or None. Listed nodes have costs. The *bound* of any node (s, t) is

    B(s, t) = least d + W over listed (s, u) of cost d;  W[i] = weight of t[i] if t[i] is a run other than u[i], else 0

The certificate is accepted if three conditions hold. The start is listed at no cost. No listed position is a goal. For
every move from a listed node, the bound of the node after the move is at most the cost after the move, unless that
cost is the proven bound or more. Then no plan costs less than the proven bound. Proof: by induction along a plan, its
cost at (s, t) is at least B(s, t). Let the listed node (s, u) of cost d attain B(s, t), and let a move lead from s to
s'. After run t, the move costs p and leaves run t'; after run u, it costs q and leaves run u'. In every part, q + W(t',
u') <= p + W(t, u). If the move has a weight, then t' = u', and q exceeds p only if the move continues t but not u; then
W(t, u) is that weight. If the move is free, p = q = 0, and t' is t or None; and t' is neither None nor u' only if t is
neither None nor u, because a move that ends a run ends it in both cases. So d + q + W(t', u') is at most the cost of
the plan after the move. The check showed that B(s', u') <= d + q, and W(t', v) <= W(t', u') + W(u', v) for any v, so
B(s', t') is at most this cost, too. Pairs of costs are compared lexicographically, and addition preserves this order.
If a plan cost less than the proven bound, all its positions would be listed, and the last of them would be a goal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec

from fewest.certificates.container import Budget, Count, RejectedError, Stream, Text
from fewest.certificates.positions import GroupRow, PositionNumbering, SpotRow
from fewest.model.board import Direction
from fewest.model.metric import Metric, Parts
from fewest.model.position import Position, start
from fewest.model.puzzle import Puzzle
from fewest.playing.move import Move
from fewest.playing.price import MergedRun, price
from fewest.playing.rules import is_goal, legal_moves

Costs = Annotated[tuple[Count, ...], msgspec.Meta(min_length=1, max_length=2)]
NODE = 500  # the maximum size of a listed node in this checker, in bytes


class StepRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A move of a plan: its rule and direction, the piece that the metric counts, and all changes."""

    rule: Text
    binding: Text
    direction: Text | None
    ring: Count | None
    carrier: tuple[SpotRow, SpotRow] | None
    gone: tuple[SpotRow, ...]
    come: tuple[SpotRow, ...]
    values: tuple[tuple[Count, int | str], ...]  # (variable, new value)


class PlanHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A plan and its cost."""

    cost: Costs
    steps: tuple[StepRow, ...]


class RunRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A merged move of a piece at a spot, or of a ring, with its direction (down, right, name, arrow)."""

    spot: SpotRow | None
    ring: Count | None
    direction: tuple[int, int, Text, Text] | None
    weight: Count


class LayersHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The proven bound (None: unsolvable), the numbering of positions, and the sizes of the layers.

    `runs`: the merged moves of each part of the metric, numbered from 1. `layers`: (cost, number of positions).
    """

    bound: Costs | None
    groups: tuple[GroupRow, ...]
    runs: tuple[tuple[RunRow, ...], ...]
    layers: tuple[tuple[tuple[Count, ...], Count], ...]

    @property
    def is_of_nothing(self) -> bool:
        """Whether the bound is 0 in every part. Such a bound needs no positions, because no weight is below 0."""
        return self.bound is not None and not any(self.bound) and not self.layers


@dataclass(frozen=True)
class Verdict:
    """The result of a check: the cost of a plan, a bound on all plans, or the statement that there is no plan.

    `counts`: sizes, for display. `trusts`: the components that must be correct in addition to the checker. `by`: the
    input of the check. `is_grounded`: whether the result depends on a correct grounder.
    """

    kind: str
    proves: Literal["cost", "bound", "unsolvable"]
    value: Parts | None
    counts: dict[str, int]
    trusts: str = "the language and the interpreter of the rules"
    by: str = "playing the rules"
    is_grounded: bool = False


def check_plan(puzzle: Puzzle, metric: Metric, stream: Stream, budget: Budget) -> Verdict:
    """Check that a plan leads from the start to a goal position, at the given cost. Raises RejectedError."""
    head = stream.head(PlanHead)
    stream.end()
    position, total = start(puzzle), (0,) * len(metric.parts)
    runs: tuple[MergedRun | None, ...] = (None,) * len(metric.parts)
    for number, row in enumerate(head.steps, 1):
        budget.spend()
        for move in legal_moves(position, row.rule):
            if step_row(position, move) == row:
                break
        else:
            raise RejectedError(f"step {number} (`{row.rule}`) is not a legal move")
        total, runs = _paid(metric, total, runs, move)
        position = move.target
    if not is_goal(position):
        raise RejectedError("the plan does not end in a goal position")
    if total != head.cost:
        raise RejectedError(f"the plan costs {_text(total)}, not {_text(head.cost)} as stated")
    return Verdict("plan", "cost", total, {"steps": len(head.steps)})


def step_row(position: Position, move: Move) -> StepRow:
    """A move from a position, in the format of plans."""
    target = move.target
    return StepRow(
        rule=move.rule,
        binding=move.words,
        direction=None if move.direction is None else move.direction.name,
        ring=move.ring,
        carrier=move.carrier,
        gone=tuple(sorted(position.pieces - target.pieces)),
        come=tuple(sorted(target.pieces - position.pieces)),
        values=tuple(
            (slot, new)
            for slot, (old, new) in enumerate(zip(position.values, target.values, strict=True))
            if old != new
        ),
    )


class Node:
    """A listed node of a position: its cost, its merged moves, and whether a move leads to it at this cost."""

    __slots__ = ("cost", "is_met", "runs")

    def __init__(self, cost: Parts, runs: tuple[MergedRun | None, ...]) -> None:
        self.cost, self.runs, self.is_met = cost, runs, False


def check_layers(puzzle: Puzzle, metric: Metric, stream: Stream, budget: Budget) -> Verdict:
    """Check that no plan costs less than a bound, or that no plan exists (proof: see above). Raises RejectedError."""
    return play_layers("layers", puzzle, metric, stream.head(LayersHead), stream, budget)


def play_layers(
    kind: str,
    puzzle: Puzzle,
    metric: Metric,
    head: LayersHead,
    stream: Stream,
    budget: Budget,
    left: Callable[[Position], int] | None = None,
) -> Verdict:
    """Check layers as `check_layers` does, after the head of the section has been read. Raises RejectedError.

    `left`: a lower bound on the cost from a position to the goal. A position need not be listed if the cost up to the
    position plus `left` reaches the bound.
    """
    metric = Metric(metric.name, metric.parts if head.bound is not None else ())
    num_parts, num_moves = len(metric.parts), 0
    if head.bound is not None and len(head.bound) != num_parts:
        raise RejectedError(f"the bound has the wrong number of parts for `{metric.name}`")
    if head.is_of_nothing:
        stream.end()
        return Verdict(kind, "bound", head.bound, {"positions": 0, "layers": 0, "moves": 0})
    numbering = PositionNumbering(puzzle, head.groups, budget)
    listed = _read_layers(num_parts, numbering, head, stream, budget)
    none: tuple[MergedRun | None, ...] = (None,) * num_parts
    first = numbering.number(start(puzzle))
    if first is None or not _is_bounded(listed.get(first, []), (0,) * num_parts, none):
        raise RejectedError("the start is not in the first layer")
    for number, nodes in listed.items():
        budget.spend()
        position = numbering.position(number)
        if is_goal(position):
            at = f", at a cost of {_text(nodes[0].cost)}," if num_parts else ""
            raise RejectedError(f"position {number}{at} is a goal position")
        for move in legal_moves(position):
            num_moves += 1
            after = numbering.number(move.target)
            more = 0 if left is None else left(move.target)
            for node in nodes:
                total, runs = _paid(metric, node.cost, node.runs, move)
                is_far = more > 0 and head.bound is not None and total[0] + more >= head.bound[0]
                if is_far or (head.bound is not None and total >= head.bound):
                    continue
                if after is None or not _is_bounded(listed.get(after, []), total, runs):
                    where = "a position" if after is None else f"position {after}"
                    at = f", at a cost of {_text(total)}," if num_parts else ""
                    raise RejectedError(
                        f"rule `{move.rule}` leads from position {number}{at} to {where} that no layer allows"
                    )
    missing = sum(not node.is_met for nodes in listed.values() for node in nodes)
    if missing:
        raise RejectedError(f"no move leads to {missing} of the listed nodes at their cost")
    counts = {"positions": len(listed), "layers": len(head.layers), "moves": num_moves}
    return Verdict(kind, "unsolvable" if head.bound is None else "bound", head.bound, counts)


def _read_layers(
    num_parts: int, numbering: PositionNumbering, head: LayersHead, stream: Stream, budget: Budget
) -> dict[int, list[Node]]:
    """The listed nodes of each position. A layer contains delta-encoded numbers, then each position's merged moves."""
    if len(head.runs) != num_parts:
        raise RejectedError(
            f"the number of parts of the metric is {num_parts}, but the certificate lists runs for {len(head.runs)}"
        )
    tables = [[None, *(_run(row) for row in rows)] for rows in head.runs]
    listed: dict[int, list[Node]] = {}
    size_of_node = NODE + numbering.size.bit_length() // 4  # twice the size of a position's number
    num_nodes, last = 0, None
    for cost, count in head.layers:
        if len(cost) != num_parts or (last is not None and cost <= last):
            raise RejectedError("the layers are not in order")
        if head.bound is not None and cost >= head.bound:
            raise RejectedError(f"a layer of cost {_text(cost)} is not below the bound")
        last, number, numbers = cost, -1, []
        for _ in range(count):
            number += 1 + stream.number(numbering.size)
            numbers.append(number)
            budget.spend((num_nodes + len(numbers)) * size_of_node)
            if number >= numbering.size:
                raise RejectedError(f"there is no position {number}")
        for number in numbers:
            for runs in _runs(tables, stream):
                listed.setdefault(number, []).append(Node(cost, runs))
                num_nodes += 1
                budget.spend(num_nodes * size_of_node)
    stream.end()
    return listed


def _runs(
    tables: list[list[MergedRun | None]], stream: Stream
) -> Iterator[tuple[MergedRun | None, ...]]:
    """Read the runs of a position's nodes: their number minus 1, then for each node an index per part that merges."""
    if all(len(table) == 1 for table in tables):
        yield (None,) * len(tables)
        return
    for _ in range(1 + stream.number(1 << 20)):
        yield tuple(
            table[stream.number(len(table) - 1)] if len(table) > 1 else None for table in tables
        )


def _run(row: RunRow) -> MergedRun:
    direction = None
    if row.direction is not None:
        down, right, name, arrow = row.direction
        direction = Direction((down, right), name, arrow)
    return MergedRun(row.ring if row.spot is None else row.spot, direction, row.weight)


def _is_bounded(nodes: list[Node], total: Parts, runs: tuple[MergedRun | None, ...]) -> bool:
    """Whether the bound of `runs`, at the position with these nodes, is at most `total`; marks a node that is equal."""
    found = False
    for node in nodes:
        bound = tuple(
            cost + (0 if run is None or run == other else run.weight)
            for cost, run, other in zip(node.cost, runs, node.runs, strict=True)
        )
        found = found or bound <= total
        if node.cost == total and node.runs == runs:
            node.is_met = True
    return found


def _paid(
    metric: Metric, total: Parts, runs: tuple[MergedRun | None, ...], move: Move
) -> tuple[Parts, tuple[MergedRun | None, ...]]:
    """The total cost after a move, and the merged moves in progress after it."""
    paid = [price(part, run, move) for part, run in zip(metric.parts, runs, strict=True)]
    return (
        tuple(cost + more for cost, (more, _) in zip(total, paid, strict=True)),
        tuple(run for _, run in paid),
    )


def _text(cost: Parts) -> str:
    return " + ".join(map(str, cost))
