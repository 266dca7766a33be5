"""Checks, with the reference interpreter alone, that the program can read the texts of moves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from unittest.mock import patch

from msgspec import Struct

from fewest.errors import DocumentError
from fewest.model.puzzle import Puzzle
from fewest.playing.plan import Plan, PlannedMove
from fewest.playing.plan_parser import LabelledPosition, labelled_start, matching_moves, parse_plan
from fewest.playing.replay import Subjects
from fewest.playing.step import Step, phrase


class Walked(Struct):
    """The extent of a check: the number of moves, and the number of moves that share their short text with others."""

    moves: int = 0
    unclear: int = 0


@contextmanager
def _moves_listed_once() -> Iterator[None]:
    """Let every position list its moves only once, because each line is read several times."""
    list_moves = LabelledPosition.steps
    # The values contain the positions, so that no other position gets the same key.
    known: dict[int, tuple[LabelledPosition, list[tuple[Step, LabelledPosition]]]] = {}

    def steps(labelled: LabelledPosition, subjects: Subjects) -> Iterator[object]:
        if id(labelled) not in known:
            known[id(labelled)] = labelled, list(list_moves(labelled, subjects))
        return iter(known[id(labelled)][1])

    with patch.object(LabelledPosition, "steps", steps):
        yield


@_moves_listed_once()
def check_random_walk(puzzle: Puzzle, rng: Random, *, length: int = 12, most: int = 80) -> Walked:
    """Check along a random walk that moves with different results have different texts, and that the program reads the
    text of a move as this move, alone and together with the moves before it.

    The walk ends at a position with more than `most` moves. Raises DocumentError if an expression of a rule has no
    value.
    """
    found = Walked()
    subjects = Subjects(puzzle)
    labelled = before = labelled_start(puzzle)
    steps: tuple[Step, ...] = ()
    for _ in range(length):
        following = list(labelled.steps(subjects))
        if not following or len(following) > most:
            break
        ends: dict[str, object] = {}
        for step, there in following:
            text = phrase([step])
            assert ends.setdefault(text, _end(there)) == _end(there), _two(labelled, text)
            found.unclear += step.detail > 0
        found.moves += len(following)
        step, scene_after = rng.choice(following)
        _check_line(puzzle, labelled, (step,), scene_after)
        steps = (*steps, step)
        if len(steps) == 3:  # a line of several moves, as metrics that merge moves print them
            _check_line(puzzle, before, steps, scene_after)
            before, steps = scene_after, ()
        labelled = scene_after
    return found


def _check_line(
    puzzle: Puzzle, labelled: LabelledPosition, steps: tuple[Step, ...], after: LabelledPosition
) -> None:
    text = PlannedMove(steps, ()).text
    found = matching_moves(puzzle, labelled, text)
    assert [_end(there) for _, there in found] == [_end(after)], _two(labelled, text)
    data = json.loads(json.dumps([step.to_json() for step in steps]))
    assert [_end(there) for _, there in matching_moves(puzzle, labelled, data)] == [_end(after)]


def _end(labelled: LabelledPosition) -> object:
    """The data on which later texts depend: the position, and the names of the pieces."""
    return labelled.position, dict(labelled.names)


def _two(labelled: LabelledPosition, text: str) -> str:
    return f"at {labelled.position}, not one move is called `{text}`"


@_moves_listed_once()
def check_plan(puzzle: Puzzle, plan: Plan) -> None:
    """Check that the text and the data of a plan lead to the positions of the plan, move by move."""
    for written in (plan.text(), json.dumps(plan.to_json())):
        labelled = labelled_start(puzzle)
        for written_move, move in zip(parse_plan(written), plan.moves, strict=True):
            found = matching_moves(puzzle, labelled, written_move)
            assert [there.position for _, there in found] == [move.position], _two(
                labelled, str(written_move)
            )
            _, labelled = found[0]


def check_text(puzzle: Puzzle, rng: Random) -> Walked:
    """Like `check_random_walk`, but an expression without a value ends the check."""
    try:
        return check_random_walk(puzzle, rng)
    except DocumentError:
        return Walked()
