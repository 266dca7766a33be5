"""Checks, with the reference interpreter alone, that the program can read the texts of moves."""

from __future__ import annotations

import json
from random import Random

from msgspec import Struct

from fewest.errors import DocumentError
from fewest.model.puzzle import Puzzle
from fewest.playing.plan import Plan, PlannedMove
from fewest.playing.plan_parser import Scene, opening, parse_plan, readings
from fewest.playing.replay import Subjects
from fewest.playing.step import Step, phrase


class Walked(Struct):
    """The extent of a check: the number of moves, and the number of moves that share their short text with others."""

    moves: int = 0
    unclear: int = 0


def check_random_walk(puzzle: Puzzle, rng: Random, *, length: int = 12, most: int = 80) -> Walked:
    """Check along a random walk that moves with different results have different texts, and that the program reads the
    text of a move as this move, alone and together with the moves before it.

    The walk ends at a position with more than `most` moves. Raises DocumentError if an expression of a rule has no
    value.
    """
    found = Walked()
    subjects = Subjects(puzzle)
    scene = before = opening(puzzle)
    steps: tuple[Step, ...] = ()
    for _ in range(length):
        following = list(scene.steps(subjects))
        if not following or len(following) > most:
            break
        ends: dict[str, object] = {}
        for step, there in following:
            text = phrase([step])
            assert ends.setdefault(text, _end(there)) == _end(there), _two(scene, text)
            found.unclear += step.detail > 0
        found.moves += len(following)
        step, scene_after = rng.choice(following)
        _check_line(puzzle, scene, (step,), scene_after)
        steps = (*steps, step)
        if len(steps) == 3:  # a line of several moves, as metrics that merge moves print them
            _check_line(puzzle, before, steps, scene_after)
            before, steps = scene_after, ()
        scene = scene_after
    return found


def _check_line(puzzle: Puzzle, scene: Scene, steps: tuple[Step, ...], after: Scene) -> None:
    text = PlannedMove(steps, ()).text
    found = readings(puzzle, scene, text)
    assert [_end(there) for _, there in found] == [_end(after)], _two(scene, text)
    data = json.loads(json.dumps([step.to_json() for step in steps]))
    assert [_end(there) for _, there in readings(puzzle, scene, data)] == [_end(after)]


def _end(scene: Scene) -> object:
    """The data on which later texts depend: the position, and the names of the pieces."""
    return scene.position, dict(scene.names)


def _two(scene: Scene, text: str) -> str:
    return f"at {scene.position}, not one move is called `{text}`"


def check_plan(puzzle: Puzzle, plan: Plan) -> None:
    """Check that the text and the data of a plan lead to the positions of the plan, move by move."""
    for written in (plan.text(), json.dumps(plan.to_json())):
        scene = opening(puzzle)
        for said, move in zip(parse_plan(written), plan.moves, strict=True):
            found = readings(puzzle, scene, said)
            assert [there.position for _, there in found] == [move.position], _two(scene, str(said))
            _, scene = found[0]


def check_text(puzzle: Puzzle, rng: Random) -> Walked:
    """Like `check_random_walk`, but an expression without a value ends the check."""
    try:
        return check_random_walk(puzzle, rng)
    except DocumentError:
        return Walked()
