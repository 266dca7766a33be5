"""Parses plans in the formats in which plans are printed (text or JSON), and finds their moves among the legal
moves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from fewest.model.position import Position, start
from fewest.model.puzzle import Puzzle, Spot
from fewest.playing.plan import PlannedMove
from fewest.playing.replay import Subjects, follow, steps_from
from fewest.playing.step import Step

_MAX_STEPS = 1_000  # the maximal number of steps of one given move
_NUMBERED = re.compile(r"\s*(\d+)\.\s+(\S.*)")
_WHERE = re.compile(r"( ?\(\d+, ?\d+\))+(→\(\d+, ?\d+\)( \(\d+, ?\d+\))*)?")


class Scene(Struct, frozen=True):
    """A position with the letters and the names of its pieces, so that moves can be named."""

    position: Position
    labels: Mapping[Spot, str]
    names: Mapping[Spot, str]

    def steps(self, subjects: Subjects) -> Iterator[tuple[Step, Scene]]:
        """Every legal move as a step of a plan, with its result."""
        for step in steps_from(subjects, self.position, self.labels, self.names):
            names = dict(self.names)
            follow(step.move, names)
            yield step, Scene(step.position, step.labels, names)


def parse_plan(text: str) -> list[Any]:
    """The moves in a text: each move is a line of text, or a list of steps as data.

    JSON may be a result of `solve --json`, its `plan`, or a list of lines. Any other text consists of lines; if some
    lines are numbered, only these count. Raises ValueError for JSON that is not a plan.
    """
    if text.lstrip()[:1] in ("{", "["):
        data = json.loads(text)
        moves = data.get("plan") if isinstance(data, dict) else data
        if not isinstance(moves, list):
            raise ValueError("there is no plan in this JSON")
        return [_parsed(move) for move in moves]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    numbered = [found[2].strip() for line in lines if (found := _NUMBERED.fullmatch(line))]
    return numbered or lines


def _parsed(move: Any) -> Any:
    if isinstance(move, str):
        return move
    if isinstance(move, dict):
        steps, text = move.get("steps"), move.get("text")
        if isinstance(steps, list) and all(isinstance(step, dict) for step in steps):
            return steps
        if isinstance(text, str):
            return text
    raise ValueError("a move is a text, or has `steps` or a `text`")


def opening(puzzle: Puzzle) -> Scene:
    """The scene at the start."""
    return Scene(start(puzzle), puzzle.labels, puzzle.piece_names)


def readings(puzzle: Puzzle, scene: Scene, given: Any) -> list[tuple[tuple[Step, ...], Scene]]:
    """The legal moves that match a given move: at most two, with different results; empty if no move matches."""
    subjects = Subjects(puzzle)
    if isinstance(given, str):
        found = _by_words(scene, subjects, " ".join(given.split()))
    else:
        found = _by_data(scene, subjects, given)
    ends: dict[Position, tuple[tuple[Step, ...], Scene]] = {}
    for steps, there in found:
        ends.setdefault(there.position, (steps, there))
        if len(ends) > 1:
            break
    return list(ends.values())


def _by_data(
    scene: Scene, subjects: Subjects, given: list[Any]
) -> Iterator[tuple[tuple[Step, ...], Scene]]:
    """The sequences of steps that match data; keys that the data lacks are not compared."""
    seen: set[tuple[Position, int]] = set()
    open_: list[tuple[tuple[Step, ...], Scene]] = [((), scene)]
    while open_:
        steps, here = open_.pop()
        if len(steps) == len(given):
            yield steps, here
            continue
        if (here.position, len(steps)) in seen:
            continue
        seen.add((here.position, len(steps)))
        conditions = given[len(steps)].items()
        for step, there in here.steps(subjects):
            data = step.to_json()
            if all(key in data and data[key] == value for key, value in conditions):
                open_.append(((*steps, step), there))


def _by_words(
    scene: Scene, subjects: Subjects, line: str
) -> Iterator[tuple[tuple[Step, ...], Scene]]:
    """The sequences of steps that match a line of text, by depth-first search along its prefixes. Cells are compared
    only if the line contains cells.
    """
    bare = _WHERE.sub("", line)
    has_cells = bare != line
    seen: set[tuple[Position, str]] = set()
    open_: list[tuple[tuple[Step, ...], Scene]] = [((), scene)]
    while open_:
        steps, here = open_.pop()
        if steps:
            text = PlannedMove(steps, ()).text
            words = _WHERE.sub("", text)
            if (text if has_cells else words) == line:
                yield steps, here
            key = here.position, text
            if key in seen or not bare.startswith(words) or len(steps) >= _MAX_STEPS:
                continue
            seen.add(key)
            if words == bare:
                continue
        open_ += [((*steps, step), there) for step, there in here.steps(subjects)]
