"""The task checker. The native code of this checker checks layers with the operators of the grounded task.

This checker is for certificates that are too large for the rules checker. The result relies on the grounder, as the
verdict states, and on `model.costs`. On a sample of the positions, `check_grounder` compares operators, costs and goals
with the rules.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from msgspec import structs

from fewest.certificates.container import Budget, RejectedError, Stream, TooLargeError
from fewest.certificates.grounded_task import grounded
from fewest.certificates.invariant_checker import SumRow
from fewest.certificates.layer_check_input import (
    MOST_TABLE_NUMBERS,
    input_bytes,
    is_sequence,
    layer_check_input,
    native_table_bytes,
)
from fewest.certificates.metric_tables import MetricTable, all_parts
from fewest.certificates.native import native_checkers
from fewest.certificates.positions import PositionNumbering, num_positions
from fewest.certificates.potential import checked_potential, read_bound_head
from fewest.certificates.rules_checker import LayersHead, RunRow, Verdict
from fewest.model.answer import counted
from fewest.model.metric import Metric, MetricPart
from fewest.model.position import Position, start
from fewest.model.puzzle import Puzzle
from fewest.model.states import encode
from fewest.model.task import Operator, Task, facts_in, index_fact
from fewest.playing.move import Move
from fewest.playing.price import MergedRun, price
from fewest.playing.rules import is_forbidden, is_goal, legal_moves

TRUSTS = "the language, the grounder and the native checker"
BY = "the operators of the grounded task"
TOO_WIDE = "the numbers of the positions have more than 120 bits, the limit of the native checker"


@dataclass(frozen=True)
class Share:
    """The sample of positions on which the grounder is compared with the rules: the probability that each position is
    chosen, and the seed of this random choice.
    """

    chance: float
    seed: int = 0


def check_layers_on_task(
    puzzle: Puzzle, metric: Metric, stream: Stream, budget: Budget, share: Share | None = None
) -> Verdict:
    """Like `rules_checker.check_layers`, but with the operators of the task instead of the rules.

    The check takes a few microseconds for each move. If `share` is given, the grounder is compared with the rules on
    this share of the listed positions. Raises RejectedError if the check fails, TooLargeError at a limit, and
    UsageError if the native checkers are not installed.
    """
    head = stream.head(LayersHead)
    return _checked("layers", puzzle, metric, head, None, stream, budget, share)


def check_bound(
    puzzle: Puzzle, metric: Metric, stream: Stream, budget: Budget, share: Share | None = None
) -> Verdict:
    """Check layers that omit the positions that a potential excludes, and check the potential itself.

    The potential of a position is a lower bound on the cost from this position to the goal: no operator lowers the
    potential by more than its own cost, and the potential is at most 0 in every goal position. A position must be
    listed if its cost plus its potential is below the bound. Raises the same errors as `check_layers_on_task`.
    """
    head = read_bound_head(stream, metric)
    return _checked("bound", puzzle, metric, head.layers, head.potential, stream, budget, share)


def _checked(
    kind: str,
    puzzle: Puzzle,
    metric: Metric,
    head: LayersHead,
    given: SumRow | None,
    stream: Stream,
    budget: Budget,
    share: Share | None,
) -> Verdict:
    native = native_checkers()
    metric = structs.replace(metric, parts=metric.parts if head.bound is not None else ())
    if head.bound is not None and len(head.bound) != len(metric.parts):
        raise RejectedError(f"the bound has the wrong number of parts for `{metric.name}`")
    if len(head.runs) != len(metric.parts):
        raise RejectedError(
            f"the number of parts of the metric is {len(metric.parts)}, but the certificate lists runs for "
            f"{len(head.runs)}"
        )
    if any(len(cost) != len(metric.parts) for cost, _ in head.layers):
        raise RejectedError("the cost of a layer has the wrong number of parts")
    if head.is_of_nothing:
        stream.end()
        return Verdict(kind, "bound", head.bound, {"positions": 0, "layers": 0, "moves": 0})
    if num_positions(puzzle, head.groups) > MOST_TABLE_NUMBERS:
        raise TooLargeError(TOO_WIDE, hint="use --by rules, which has no such limit")
    task = grounded(puzzle, budget)
    budget.spend(input_bytes(task) + native_table_bytes(head.groups))
    numbering = PositionNumbering(puzzle, head.groups, budget)
    parts = all_parts(task, metric)
    potential = [] if given is None else checked_potential(task, parts[0], given, budget)
    layers_input = layer_check_input(
        puzzle,
        task,
        parts,
        head.groups,
        [_run_keys(head, number, part) for number, part in enumerate(parts)],
        head.bound,
        head.layers,
        potential,
    )
    check = _in_one_run if is_sequence(parts, numbering.size) else _in_memory
    try:
        (positions, _, moves), numbers = check(
            native, layers_input, head, numbering, stream, budget, share
        )
    except native.RejectedError as error:
        raise RejectedError(str(error)) from None
    except native.GivenUpError as error:
        raise TooLargeError(f"the check stopped at the {error} limit", reason=str(error)) from None
    counts = {"positions": positions, "layers": len(head.layers), "moves": moves}
    by = BY
    if share is not None:
        chosen = (numbering.position(number) for number in numbers)
        check_grounder(puzzle, task, metric, parts, chosen, budget)
        by += (
            f", which agree with the rules on {counted(len(numbers), 'positions')} "
            f"({len(numbers) / max(positions, 1):.2%}), chosen by seed {share.seed}"
        )
    if head.bound is None:
        return Verdict(kind, "unsolvable", None, counts, TRUSTS, by, is_grounded=True)
    return Verdict(kind, "bound", head.bound, counts, TRUSTS, by, is_grounded=True)


def _in_memory(
    native: Any,
    layers_input: Any,
    head: LayersHead,
    numbering: PositionNumbering,
    stream: Stream,
    budget: Budget,
    share: Share | None,
) -> tuple[list[int], list[int]]:
    """Check the layers in memory. Returns the numbers of positions, nodes and moves, and the sampled positions as
    numbers.
    """
    body = _body(stream, budget)
    counts: list[int] = native.check_layers(
        layers_input, body, budget.deadline - time.perf_counter(), min(budget.memory, (1 << 64) - 1)
    )
    return counts, [] if share is None else _some_numbers(head, body, numbering, share)


def _in_one_run(
    native: Any,
    layers_input: Any,
    head: LayersHead,
    numbering: PositionNumbering,
    stream: Stream,
    budget: Budget,
    share: Share | None,
) -> tuple[list[int], list[int]]:
    """Check the layers as a stream (`cpp/sequence.hpp`); a second pass follows if moves lead to earlier layers. Returns
    the same numbers as `_in_memory`.
    """
    chance, seed = (0, 0) if share is None else (round(share.chance * 2**32), share.seed)
    checker = native.LayerSequence(
        layers_input,
        budget.deadline - time.perf_counter(),
        min(budget.memory, (1 << 64) - 1),
        chance,
        seed & (1 << 64) - 1,
    )
    digests: list[bytes] = []
    while not digests or checker.needs_another_pass():
        digest = blake2b()
        for piece in stream.again() if digests else stream.rest():
            budget.spend()
            digest.update(piece)
            checker.feed(piece)
        digests.append(digest.digest())
    if len(set(digests)) > 1:
        raise RejectedError("the certificate changed while it was being read")
    checker.finish()
    return checker.counts, checker.chosen


def check_grounder(
    puzzle: Puzzle,
    task: Task,
    metric: Metric,
    parts: Sequence[MetricTable],
    positions: Iterable[Position],
    budget: Budget,
) -> None:
    """Check that, for these positions, the task and the rules agree on moves, costs, goals and forbidden positions.

    Raises RejectedError if the task and the rules differ.
    """
    if encode(task, start(puzzle)) != task.initial:
        raise RejectedError("the grounder has a bug: the task and the puzzle have different starts")
    by_fact: dict[int, list[int]] = {}
    for index, operator in enumerate(task.moves):
        fact = index_fact(operator) if isinstance(operator, Operator) else -1
        by_fact.setdefault(fact, []).append(index)
    for position in positions:
        budget.spend()
        state = encode(task, position)
        if is_goal(position) != task.is_goal(state) or (
            is_forbidden(position) != task.is_forbidden(state)
        ):
            raise RejectedError(
                "the grounder has a bug: the task and the rules disagree on a goal or a forbidden position"
            )
        try:
            played = {
                (
                    move.rule,
                    encode(task, move.target),
                    tuple(_price(part, move) for part in metric.parts),
                )
                for move in legal_moves(position)
            }
        except KeyError:  # possible from a listed position that cannot be reached
            raise RejectedError(
                "the rules lead from a listed position to a position for which the task has no facts"
            ) from None
        grounded = {
            (move.rule, after, tuple(part.price(index) for part in parts))
            for fact in (*facts_in(state), -1)
            for index in by_fact.get(fact, ())
            if (move := task.moves[index]).is_applicable(state)
            and (after := task.after(index, state)) not in (None, state)
            and not task.is_forbidden(after)
        }
        if played != grounded:
            raise RejectedError(
                "the grounder has a bug: the task and the rules disagree on the moves from a listed position"
            )


def _price(part: MetricPart, move: Move) -> tuple[int, RunRow | None, RunRow | None]:
    """According to `playing.price`: the weight of a move, the merged move that it continues, and the merged move in
    progress after it.
    """
    weight, after = price(part, None, move)
    if not weight or after is None:
        return weight, None, None
    before = after if move.carrier is None else structs.replace(after, carrier=move.carrier[0])
    assert price(part, before, move) == (0, after), "the run that it continues"
    return weight, _row(before), _row(after)


def _row(run: MergedRun) -> RunRow:
    heading = run.direction
    direction = None if heading is None else (*heading.offset, heading.name, heading.arrow)
    if isinstance(run.carrier, tuple):
        return RunRow(run.carrier, None, direction, run.weight)
    assert isinstance(run.carrier, int)
    return RunRow(None, run.carrier, direction, run.weight)


def _body(stream: Stream, budget: Budget) -> bytes:
    pieces: list[bytes] = []
    size = 0
    for piece in stream.rest():
        size += len(piece)
        budget.spend(2 * size)
        pieces.append(piece)
    return b"".join(pieces)


def _run_keys(head: LayersHead, number: int, part: MetricTable) -> list[int]:
    """The task's run keys for the merged moves of the certificate. Raises RejectedError if a merged move is unknown."""
    known = {row: key for key, row in enumerate(part.rows)}
    keys = [known.get(row) for row in head.runs[number]]
    if None in keys:
        raise RejectedError("the certificate contains a run to which no move of the task belongs")
    return [key for key in keys if key is not None]


def _some_numbers(
    head: LayersHead, body: bytes, numbering: PositionNumbering, share: Share
) -> list[int]:
    """The numbers of those listed positions that `share` selects. The body must already have been checked."""
    chance = random.Random(share.seed)
    at = 0
    chosen: list[int] = []

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = body[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    tables = sum(1 for table in head.runs if table)
    for _, count in head.layers:
        current = -1
        for _ in range(count):
            current += 1 + number()
            if chance.random() < share.chance:
                chosen.append(current)
        for _ in range(count if tables else 0):
            for _ in range((1 + number()) * tables):
                number()
    return chosen
