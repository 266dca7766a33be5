"""The task checker: layers against the operators of the grounded task, natively.

For certificates that are too large to be played by the rules. It trusts the grounder (and `model.costs`), and
says so; `check_grounder` compares operators, prices and goals with the rules on some of the positions.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import structs

from fewest.certificates.container import Budget, RejectedError, Stream, TooLargeError
from fewest.certificates.invariant_checker import SumRow
from fewest.certificates.native import native_checkers
from fewest.certificates.parts import PartTable, part_table
from fewest.certificates.positions import PositionNumbering
from fewest.certificates.potential import BoundHead, checked_potential
from fewest.certificates.rules_checker import LayersHead, RunRow, Verdict
from fewest.errors import DocumentError
from fewest.grounding.ground import ground
from fewest.model.metric import Metric, MetricPart
from fewest.model.position import Position, start
from fewest.model.puzzle import Puzzle
from fewest.model.states import encode
from fewest.model.task import Cube, Task, index_fact
from fewest.playing.move import Move
from fewest.playing.price import Run, price
from fewest.playing.rules import is_forbidden, is_goal, legal_moves

_NO_FACT, _CONSTANT = -1, -2
TRUSTS = "the language, the grounder and the native checker"


@dataclass(frozen=True)
class Share:
    """Which positions the grounder is compared with the rules on: each with this chance, by this seed."""

    chance: float
    seed: int = 0


def check_layers_on_task(
    puzzle: Puzzle, metric: Metric, stream: Stream, budget: Budget, share: Share | None = None
) -> Verdict:
    """As `rules_checker.check_layers`, with the operators of the task in place of the rules.

    Cost: some microseconds a move. With `share` the grounder is compared with the rules on that share of the
    listed positions. Raises RejectedError; UsageError without the native checkers.
    """
    head = stream.head(LayersHead)
    return _checked("layers", puzzle, metric, head, None, stream, budget, share)


def check_bound(
    puzzle: Puzzle, metric: Metric, stream: Stream, budget: Budget, share: Share | None = None
) -> Verdict:
    """The same for positions that a potential, checked here, lets nobody leave out but where it may.

    The potential of a position is a lower bound of what a goal costs from there: no operator lowers it by
    more than it costs, and it is above 0 in no position of the goal. What costs less than the bound together
    with it is listed. Raises as `check_layers_on_task`.
    """
    head = stream.head(BoundHead)
    if len(metric.parts) != 1 or metric.parts[0].merge != "none" or head.layers.bound is None:
        raise RejectedError("a potential bounds metrics of one number in which no moves merge")
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
        raise RejectedError(f"a bound in {metric.name} is {len(metric.parts)} numbers")
    if len(head.runs) != len(metric.parts):
        raise RejectedError(f"there are runs for {len(head.runs)} parts of the metric")
    try:
        task = ground(puzzle)
    except DocumentError as error:
        raise RejectedError(f"its puzzle cannot be grounded:\n{error}") from None
    numbering = PositionNumbering(puzzle, head.groups)
    parts = [part_table(task, metric, number) for number in range(len(metric.parts))]
    potential = [] if given is None else checked_potential(task, parts[0], given, budget)
    body = _body(stream, budget)
    try:
        positions, _, moves = native.check_layers(
            task=_task(native, task),
            parts=[_part(native, part) for part in parts],
            groups=_groups(head, task),
            variables=_variables(puzzle, task),
            runs=[_run_keys(head, number, part) for number, part in enumerate(parts)],
            bound=head.bound,
            layers=head.layers,
            potential=potential,
            body=body,
            seconds=budget.deadline - time.perf_counter(),
            memory=min(budget.memory, (1 << 64) - 1),
        )
    except native.RejectedError as error:
        raise RejectedError(str(error)) from None
    except native.GivenUpError as error:
        raise TooLargeError(f"{error} limit: the check was given up") from None
    counts = {"positions": positions, "layers": len(head.layers), "moves": moves}
    trusts = TRUSTS
    if share is not None:
        numbers = _some_numbers(head, body, numbering, share)
        chosen = [numbering.position(number) for number in numbers]
        check_grounder(puzzle, task, metric, parts, chosen, budget)
        trusts += (
            f" (compared with the rules on {len(chosen) / max(positions, 1):.1%} of the positions, "
            f"chosen by seed {share.seed})"
        )
    if head.bound is None:
        return Verdict(kind, "unsolvable", None, counts, trusts)
    return Verdict(kind, "bound", head.bound, counts, trusts)


def check_grounder(
    puzzle: Puzzle,
    task: Task,
    metric: Metric,
    parts: Sequence[PartTable],
    positions: Iterable[Position],
    budget: Budget,
) -> None:
    """That on these positions the task says what the rules say: moves, their prices, goals, what is forbidden.

    Raises RejectedError where it does not.
    """
    if encode(task, start(puzzle)) != task.initial:
        raise RejectedError("the grounder is wrong: the task starts elsewhere")
    for position in positions:
        budget.spend()
        state = encode(task, position)
        if is_goal(position) != task.is_goal(state) or (
            is_forbidden(position) != task.is_forbidden(state)
        ):
            raise RejectedError("the grounder is wrong about a goal or what is forbidden")
        played = {
            (
                move.rule,
                encode(task, move.target),
                tuple(_price(part, move) for part in metric.parts),
            )
            for move in legal_moves(position)
        }
        grounded = {
            (operator.rule, operator.apply(state), tuple(part.price(index) for part in parts))
            for index, operator in enumerate(task.operators)
            if operator.is_applicable(state) and not task.is_forbidden(operator.apply(state))
        }
        if played != grounded:
            raise RejectedError(
                "the grounder is wrong: from a listed position the rules allow other moves"
            )


def _price(part: MetricPart, move: Move) -> tuple[int, RunRow | None, RunRow | None]:
    """What a move costs, the run that it continues and the one that it leaves, by `playing.price`."""
    weight, after = price(part, None, move)
    if not weight or after is None:
        return weight, None, None
    before = after if move.carrier is None else structs.replace(after, carrier=move.carrier[0])
    assert price(part, before, move) == (0, after), "the run that it continues"
    return weight, _row(before), _row(after)


def _row(run: Run) -> RunRow:
    way = run.direction
    direction = None if way is None else (*way.offset, way.name, way.arrow)
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


def _rows(task: Task, values: Iterable[int]) -> bytes:
    return b"".join(value.to_bytes(task.words * 8, "little") for value in values)


def _cubes(task: Task, cubes: Sequence[Cube]) -> tuple[bytes, bytes]:
    return _rows(task, (mask for mask, _ in cubes)), _rows(task, (value for _, value in cubes))


def _task(native: Any, task: Task) -> Any:
    return native.Task(
        words=task.words,
        initial=_rows(task, [task.initial]),
        operators=_cubes(task, [(o.mask, o.value) for o in task.operators]),
        flip=_rows(task, (o.flip for o in task.operators)),
        index_fact=[index_fact(o) for o in task.operators],
        goals=_cubes(task, task.goal),
        forbidden=_cubes(task, task.forbid),
    )


def _groups(head: LayersHead, task: Task) -> list[tuple[list[int], int]]:
    """The facts of every group of spots, and how many of them are true (-1: any number)."""
    return [
        (
            [task.fact_of_spot.get(spot, _NO_FACT) for spot in group.spots],
            -1 if group.count is None else group.count,
        )
        for group in head.groups
    ]


def _part(native: Any, part: PartTable) -> Any:
    return native.Part(
        weight=part.weights,
        run_in=part.ins,
        run_out=part.outs,
        run_weight=[row.weight for row in part.rows],
        run_fact=part.facts,
    )


def _variables(puzzle: Puzzle, task: Task) -> list[list[int]]:
    """For each variable the fact of each of its values."""
    out: list[list[int]] = []
    for slot, variable in enumerate(puzzle.variables):
        facts = [task.fact_of_value.get((slot, value), _NO_FACT) for value in variable.values]
        if all(fact == _NO_FACT for fact in facts):  # it never changes
            facts[variable.values.index(variable.initial)] = _CONSTANT
        out.append(facts)
    return out


def _run_keys(head: LayersHead, number: int, part: PartTable) -> list[int]:
    """The run keys of the task behind the runs of the certificate. Raises RejectedError for other runs."""
    known = {row: key for key, row in enumerate(part.rows)}
    keys = [known.get(row) for row in head.runs[number]]
    if None in keys:
        raise RejectedError("it speaks of a run that no move makes")
    return [key for key in keys if key is not None]


def _some_numbers(
    head: LayersHead, body: bytes, numbering: PositionNumbering, share: Share
) -> list[int]:
    """The numbers of the listed positions that the seed chooses. The body has been checked."""
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
