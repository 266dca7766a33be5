"""Compares the reference interpreter, both cores and engines on a random puzzle, in all metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, settings

import fewest
from fewest import search
from fewest.errors import DocumentError, UsageError
from fewest.grounding import cycle
from fewest.grounding.ground import ground
from fewest.grounding.grounder import MAX_FLIPS
from fewest.model.costs import cost_table, plan_cost
from fewest.model.metric import Metric
from fewest.model.position import Position
from fewest.model.states import encode
from fewest.model.task import Task
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.playing.move import Move
from fewest.playing.validate import validate
from fewest.search.batches import StateSet, expand
from fewest.search.pure import breadth_first as pure
from tests.helpers.console import MANNERS

LIMIT = 200  # states; small puzzles reveal the same faults sooner


relaxed = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[
        HealthCheck.filter_too_much,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)


def compiled_or_none(
    text: str, *, takes_permutations: bool = False, **options: Any
) -> fewest.CompiledPuzzle | None:
    """The puzzle, compiled with options of the grounder. None if the puzzle is refused, or if its task has permutations
    and the test does not support them."""
    try:
        compiled = fewest.load("random.yaml", text=text)
        if options:
            compiled.__dict__["grounded"] = ground(compiled.puzzle, **options)
        has_permutations = bool(compiled.grounded.permutations)
    except DocumentError:
        return None
    return None if has_permutations and not takes_permutations else compiled


def check_informed(text: str, engines: Sequence[str], **options: object) -> None:
    """Check that engines find the minima of the reference, in the metrics that they support."""
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    moves: dict[Position, list[Move]] = {}
    for metric in compiled.puzzle.metrics.values():
        if any(part.merge == "path" for part in metric.parts):
            continue
        merges = any(part.merge != "none" for part in metric.parts)
        try:
            minimum = exhaust(compiled.puzzle, metric, LIMIT, moves).minimum
        except TooManyPositionsError:
            continue
        for engine in engines:
            try:
                found = compiled.solve(metric.name, **MANNERS[engine], **options)
            except UsageError as error:
                assert merges and "informed searches do not support a metric" in str(error), (
                    engine,
                    text,
                )
                continue
            cost = found.cost if isinstance(found.cost, tuple | None) else (found.cost,)
            assert cost == minimum, (engine, metric.name, text)


def check_agreement(
    text: str,
    *,
    is_divided: bool = True,
    most_flips: float = MAX_FLIPS,
    has_permutations: bool = False,
) -> None:
    """Check that the reference and both cores give the same results in every metric.

    Without `is_divided`, consequences stay outside the operators, and merging metrics are refused. `most_flips` is the
    limit for moves that set variables. With `has_permutations`, rings permute facts even if few pieces are on them.
    """
    options: dict[str, float] = {} if is_divided else {"most_divided": 0}
    if most_flips != MAX_FLIPS:
        options["most_flips"] = most_flips
    before, cycle.MAX_FLIPS = cycle.MAX_FLIPS, -1 if has_permutations else cycle.MAX_FLIPS
    try:
        compiled = compiled_or_none(text, takes_permutations=True, **options)
    finally:
        cycle.MAX_FLIPS = before
    assume(compiled is not None)
    assert compiled is not None
    puzzle, task = compiled.puzzle, compiled.grounded
    moves: dict[Position, list[Move]] = {}
    for metric in puzzle.metrics.values():
        if task.consequences and any(part.merge != "none" for part in metric.parts):
            with pytest.raises(UsageError, match="counts several moves as one"):
                cost_table(task, metric)
            continue
        if any(
            p.merge != "none" and p.weight(t.rule, t.binding) == 0
            for p in metric.parts
            for t in task.permutations
        ):
            continue  # the registry of engines refuses this metric
        try:
            reach = exhaust(puzzle, metric, LIMIT, moves)
        except TooManyPositionsError:
            assume(False)
        except DocumentError:
            assume(False)
        layers: dict[tuple[int, ...], int] = {}
        for cost in reach.costs.values():
            layers[cost] = layers.get(cost, 0) + 1
        expected = (
            len(reach.costs),
            reach.num_goal_states,
            reach.minimum,
            tuple(sorted(layers.items())),
        )
        table = cost_table(task, metric)
        for core_search in (pure.search, search.search):
            outcome = core_search(task.problem, table, exhaust=True)
            found = (outcome.num_states, outcome.num_goal_states, outcome.cost, outcome.layers)
            assert found == expected, (core_search.__module__, metric.name, text)
            quick = core_search(task.problem, table)
            assert quick.cost == reach.minimum
            for result in (outcome, quick):
                if result.cost is not None:
                    assert plan_cost(task, metric, result.plan) == result.cost
                    validate(puzzle, task, metric, result.plan, result.cost)
    assert states_by_expansion(compiled) == {encode(task, position) for position in reach.costs}


def check_planning(text: str, runs: Sequence[tuple[str, dict[str, str]]]) -> None:
    """Check that engines with the given options find the minima of the reference, if all positions are near the
    start."""
    compiled = compiled_or_none(text, takes_permutations=True)
    assume(compiled is not None)
    assert compiled is not None
    check_planned(compiled, runs, text)


def check_planned(
    compiled: fewest.CompiledPuzzle, runs: Sequence[tuple[str, dict[str, str]]], text: str
) -> None:
    """`check_planning` for a compiled puzzle."""
    moves: dict[Position, list[Move]] = {}
    for metric in compiled.puzzle.metrics.values():
        try:
            reach = exhaust(compiled.puzzle, metric, LIMIT, moves)
            last = max(reach.costs.values())[0]
            if last > 8:
                continue
            for engine, options in runs:
                if reach.minimum is None:
                    answer = compiled.solve(metric.name, engine=engine, last=last + 2, **options)
                    assert answer.status in ("limit", "unsolvable"), (options, text)
                else:
                    answer = compiled.solve(metric.name, **MANNERS[engine], **options)
                    found = (answer.status, answer.cost)
                    assert found == ("optimal", reach.minimum[0]), (options, text)
        except (TooManyPositionsError, DocumentError):
            assume(False)
        except UsageError as error:
            reasons = ("horizon", "different", "places", "cannot be free", "counts several moves")
            assert any(reason in str(error) for reason in reasons)


def is_refused(task: Task, metric: Metric) -> bool:
    """Whether the metric merges moves and a permutation is free."""
    return any(
        part.merge != "none" and part.weight(turn.rule, turn.binding) == 0
        for part in metric.parts
        for turn in task.permutations
    )


def states_by_expansion(compiled: fewest.CompiledPuzzle) -> set[int]:
    """The reachable states, computed by the public functions that expand batches."""
    problem = compiled.grounded.problem
    known = StateSet(compiled.grounded.words)
    frontier = problem.arrays.initial.reshape(1, -1)
    known.insert(frontier)
    while len(frontier):
        successors, _, _ = expand(problem, frontier)
        frontier = np.ascontiguousarray(successors[known.insert(successors)])
    return {int.from_bytes(row.tobytes(), "little") for row in known.states()}
