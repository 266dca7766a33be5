"""Parses plans in the forms in which they are printed (text or JSON), and finds their moves among the legal moves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from fewest.model.position import Position, start
from fewest.model.puzzle import Puzzle, Spot
from fewest.playing.plan import PlannedMove, continues
from fewest.playing.replay import Subjects, follow, steps_from
from fewest.playing.step import Step, phrase, short_phrase

MOST_CANDIDATES = 7  # the maximum number of matching moves that a message lists
_MAX_STEPS = 1_000  # the maximum number of steps of one given move
_NUMBERED = re.compile(r"\s*(\d+)\.\s+(\S.*)")
_CELL = r"\(\d+, ?\d+\)"
_DETAILS = re.compile(rf"( ?{_CELL})+(→{_CELL}( {_CELL})*)*| ?\{{[^{{}}]*\}}| ?\[[^\[\]]*\]")


class LabelledPosition(Struct, frozen=True):
    """A position with the letters and the names of its pieces, which are needed to name moves."""

    position: Position
    labels: Mapping[Spot, str]
    names: Mapping[Spot, str]

    def steps(self, subjects: Subjects) -> Iterator[tuple[Step, LabelledPosition]]:
        """Every legal move as a step of a plan, with its result."""
        for step in steps_from(subjects, self.position, self.labels, self.names):
            names = dict(self.names)
            follow(step.move, names)
            yield step, LabelledPosition(step.position, step.labels, names)


_Ends = dict[Position, tuple[tuple[Step, ...], LabelledPosition]]


def parse_plan(text: str) -> list[Any]:
    """The moves in a text: each move is a line of text, or a list of steps as data.

    JSON input may be a result of `solve --json`, its `plan`, or a list of lines. Any other text is split into lines; if
    some of the lines are numbered, only these count. Raises ValueError for JSON that is not a plan.
    """
    if text.lstrip()[:1] in ("{", "["):
        try:
            data = json.loads(text)
        except RecursionError:
            raise ValueError("the JSON document is nested too deeply") from None
        moves = data.get("plan") if isinstance(data, dict) else data
        if not isinstance(moves, list):
            raise ValueError("the JSON document contains no plan")
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
    raise ValueError("a move must be a text, or must have the key `steps` or `text`")


def labelled_start(puzzle: Puzzle) -> LabelledPosition:
    """The start, with the letters and names of its pieces."""
    return LabelledPosition(start(puzzle), puzzle.labels, puzzle.piece_names)


def matching_moves(
    puzzle: Puzzle, labelled: LabelledPosition, move: Any
) -> list[tuple[tuple[Step, ...], LabelledPosition]]:
    """The legal moves that match `move` and have different results; empty if no move matches.

    A text that a plan prints matches exactly one move. Text without places or changes may match several moves. In this
    case, the result contains at most MOST_CANDIDATES of these moves, for an error message.
    """
    subjects = Subjects(puzzle)
    if isinstance(move, str):
        return _by_words(labelled, subjects, " ".join(move.split()))
    return list(_by_data(labelled, subjects, move).values())


def ambiguity_message(move: str, found: Sequence[tuple[tuple[Step, ...], LabelledPosition]]) -> str:
    """The message for a text that matches several moves; it quotes the texts of at most MOST_CANDIDATES - 1 of them."""
    texts = [PlannedMove(steps, ()).text for steps, _ in found]
    listed = ", ".join(f"`{text}`" for text in texts[: MOST_CANDIDATES - 1])
    more = ", …" if len(texts) >= MOST_CANDIDATES else ""
    return f"`{move}` matches several moves: {listed}{more}"


def _by_data(labelled: LabelledPosition, subjects: Subjects, move: list[Any]) -> _Ends:
    """Sequences of steps that match the data: one for each position to which they lead, and at most MOST_CANDIDATES.
    Keys that are missing in the data are not compared.
    """
    ends: _Ends = {}
    seen: set[tuple[Position, int]] = set()
    open_: list[tuple[tuple[Step, ...], LabelledPosition]] = [((), labelled)]
    while open_ and len(ends) < MOST_CANDIDATES:
        steps, here = open_.pop()
        if len(steps) == len(move):
            ends.setdefault(here.position, (steps, here))
            continue
        if (here.position, len(steps)) in seen:
            continue
        seen.add((here.position, len(steps)))
        words = move[len(steps)]
        following = [pair for pair in here.steps(subjects) if _fits(pair[0], words)]
        open_ += [((*steps, step), there) for step, there in reversed(following)]
    return ends


def _fits(step: Step, words: Mapping[str, Any]) -> bool:
    data = step.data()
    if any(key != "text" and (key not in data or data[key] != words[key]) for key in words):
        return False
    return "text" not in words or words["text"] == phrase([step])


def _by_words(
    labelled: LabelledPosition, subjects: Subjects, line: str
) -> list[tuple[tuple[Step, ...], LabelledPosition]]:
    """The sequences of steps that match a line of text, by depth-first search along its prefixes.

    A sequence that has exactly this text takes precedence. If there is no such sequence, a line without details matches
    every sequence that has this text when its details are removed.
    """
    bare = _without_details(line)
    exact: _Ends = {}
    loose: _Ends = {}
    seen: set[tuple[Position, str]] = set()
    open_ = [_Prefix((), labelled, [], "", "")]
    while open_ and len(exact) < MOST_CANDIDATES:
        here = open_.pop()
        if here.steps:
            words = here.words + _without_details(short_phrase(here.group))
            if not bare.startswith(words) or len(here.steps) > _MAX_STEPS:
                continue
            text, position = here.text + phrase(here.group), here.labelled.position
            if (position, text) in seen:
                continue
            seen.add((position, text))
            if text == line:
                exact.setdefault(position, (here.steps, here.labelled))
            if words == bare:
                loose.setdefault(position, (here.steps, here.labelled))
                continue
        following = [here.extended(*pair) for pair in here.labelled.steps(subjects)]
        open_ += reversed(following)
    found = exact or (loose if bare == line else {})
    return list(found.values())[:MOST_CANDIDATES]


class _Prefix(Struct, frozen=True):
    """Some steps of a line: `group` contains the steps of the last phrase, `text` is the text of the phrases before it,
    and `words` is this text without details.
    """

    steps: tuple[Step, ...]
    labelled: LabelledPosition
    group: list[Step]
    text: str
    words: str

    def extended(self, step: Step, labelled: LabelledPosition) -> _Prefix:
        steps = (*self.steps, step)
        if not self.group or continues(self.group[-1], step):
            return _Prefix(steps, labelled, [*self.group, step], self.text, self.words)
        text = f"{self.text}{phrase(self.group)}, "
        words = f"{self.words}{_without_details(short_phrase(self.group))}, "
        return _Prefix(steps, labelled, [step], text, words)


def _without_details(text: str) -> str:
    """A text of moves without their details: places, changes, and the words that follow an unclear label."""
    return _DETAILS.sub("", text)
