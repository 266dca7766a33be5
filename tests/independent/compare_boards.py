"""Compares the independent player with `fewest`."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from time import process_time
from typing import Any, NamedTuple

from msgspec.structs import replace

from fewest.commands.api import CompiledPuzzle
from fewest.commands.load import load_any
from fewest.errors import DocumentError, UsageError
from fewest.model.metric import Metric, MetricPart
from fewest.model.position import Position, start
from fewest.model.puzzle import Puzzle
from fewest.playing import rules as playing
from fewest.reading.puzzle import read_puzzle
from tests.helpers.cells import ROOT
from tests.independent.boards.failures import Rejected, TooLarge, Unsupported
from tests.independent.boards.game import Game
from tests.independent.boards.reading import read
from tests.independent.boards.rules import check_start, is_goal, moves
from tests.independent.boards.searching import Found, explore
from tests.independent.boards.state import State
from tests.independent.boards.weighing import minimum, weight

MODELS = ROOT / "models"
ONES = "every-move"  # the name of a metric that counts every move as 1
MOST = 3000  # positions
MOST_PLAYED = 40  # positions in which the moves are compared one by one
SECONDS = 20  # of CPU time for one puzzle
STEPS = 30  # of a random walk in a puzzle with more positions

Seen = tuple[Any, ...]
Letters = set[str | None]


class Outcome(NamedTuple):
    """`verdict` is a word for statistics; `difference` is empty unless the two programs differ."""

    verdict: str
    reason: str = ""
    difference: str = ""
    positions: int = 0


def compare(
    text: str, most: int = MOST, played: int = MOST_PLAYED, seconds: float = SECONDS
) -> Outcome:
    """Play a document with both programs.

    The moves of the first positions, and of those of a random walk, are compared one by one. If the puzzle has at most
    `most` positions, the programs explore it, and find the minimum in one of the metrics. After `seconds` of CPU time,
    the comparison of moves ends, and the puzzle is not explored.
    """
    end = process_time() + seconds
    try:
        game = read(text, MODELS)
        check_start(game)
    except Unsupported as error:
        return Outcome("unsupported", str(error))
    except Rejected as error:
        rejected = str(error)
        try:
            _loaded(text).explore()
        except DocumentError:
            return Outcome("rejected by both", rejected)
        return Outcome("rejected here only", rejected)
    try:
        puzzle = _loaded(text)
    except DocumentError as error:
        return _refused(error)
    try:
        difference, number = _compare_moves(game, puzzle.puzzle, played, end)
        if difference:
            return Outcome("different", difference=difference)
        try:
            mine = explore(game, most) if process_time() < end else None
        except TooLarge:
            mine = None
        if mine is None:
            return Outcome("equal so far", positions=number)
        counted = with_ones(puzzle)
        theirs = explored(counted)
    except Unsupported as error:
        return Outcome("unsupported", str(error))
    except Rejected as error:
        rejected = str(error)
        try:
            puzzle.explore()
        except DocumentError:
            return Outcome("rejected by both", rejected)
        return Outcome("rejected here only", rejected)
    except DocumentError as error:
        return _refused(error)
    if mine == theirs:
        # If all metrics merge moves, the task is compiled in another form than with a metric that counts moves.
        known = counted if any(map(_counts_moves, puzzle.puzzle.metrics.values())) else puzzle
        return _compare_metrics(game, known, text, most)._replace(positions=sum(mine.layers))
    return Outcome("different", difference=f"independent: {mine}, fewest: {theirs}")


def _loaded(text: str) -> CompiledPuzzle:
    document = load_any("drawn.yaml", text=text)
    return CompiledPuzzle(read_puzzle(document, {}), document)


def _refused(error: DocumentError) -> Outcome:
    errors = [each for each in error.diagnostics if each.severity == "error"]
    return Outcome("rejected there only", "; ".join(f"{e.code}: {e.message}" for e in errors))


# -- the moves of single positions ------------------------------------------------------------------


def _compare_moves(game: Game, puzzle: Puzzle, most: int, end: float) -> tuple[str, int]:
    """A difference between the moves of the first positions, and the number of compared positions."""
    metrics = _weighing(game, puzzle)
    waiting = [(game.start, start(puzzle))]
    seen = {game.start}
    # A letter that only one of the programs distinguishes is not compared.
    letters = {p.letter for p in game.start.pieces} & {each.label for each in puzzle.classes}
    number = steps = 0
    rng = Random(str(sorted(game.document)))
    while waiting and process_time() < end:
        mine, theirs = waiting.pop(0)
        number += 1
        after, difference = _compared(game, mine, theirs, metrics, letters)
        if difference:
            return difference, number
        new = [pair for pair in after if pair[0] not in seen]
        if number < most:
            waiting += new[: most - len(waiting)]
            seen |= {state for state, _ in new}
        elif steps < STEPS and after:
            steps, waiting = steps + 1, [rng.choice(new or after)]
        elif number >= most + STEPS:
            break
    return "", number


def _weighing(game: Game, puzzle: Puzzle) -> dict[str, MetricPart]:
    """The metrics without merged moves and without two parts."""
    parts = {name: metric.parts for name, metric in puzzle.metrics.items()}
    own = game.document.get("metrics") or {}
    return {
        name: found[0]
        for name, found in parts.items()
        if len(found) == 1 and found[0].merge == "none" and isinstance(own.get(name) or {}, dict)
    }


def _compared(
    game: Game, mine: State, theirs: Position, metrics: dict[str, MetricPart], letters: Letters
) -> tuple[list[tuple[State, Position]], str]:
    """The positions that follow, for both programs, and a difference."""
    is_there = playing.is_goal(theirs)
    if is_goal(game, mine) is not is_there:
        return [], f"is_goal is {is_there} for `fewest` in\n{shown(mine, letters)}"
    own: dict[Seen, State] = {}
    for move in moves(game, mine):
        if move.target != mine:
            costs = [_weight(game, name, move) for name in metrics]
            own[(shown(move.target, letters), *costs)] = move.target
    other: dict[Seen, Position] = {}
    for their in playing.legal_moves(theirs):
        costs = [part.weight(their.rule, their.binding) for part in metrics.values()]
        other[(seen_of(their.target, letters), *costs)] = their.target
    if set(own) != set(other):
        lines = [f"here only: {each}" for each in sorted(set(own) - set(other), key=str)]
        lines += [f"there only: {each}" for each in sorted(set(other) - set(own), key=str)]
        return [], "\n".join([f"the moves differ in {shown(mine, letters)}", *lines])
    return [(own[each], other[each]) for each in own], ""


def _weight(game: Game, name: str, move: Any) -> int:
    keys = (game.document.get("metrics") or {}).get(name) or {}
    return weight(game, keys.get("count"), move)


def shown(state: State, letters: Letters) -> Seen:
    """A position of the independent player as plain data."""
    pieces = sorted(
        (p.kind, _common(p.letter, letters), tuple(sorted(p.cells))) for p in state.pieces
    )
    return (tuple(pieces), state.values)


def _common(letter: str | None, letters: Letters) -> str:
    return letter if letter is not None and letter in letters else ""


def seen_of(position: Position, letters: Letters) -> Seen:
    """A position of `fewest` as plain data, in the same form."""
    pieces = []
    for spot in position.pieces:
        piece = position.puzzle.classes[spot[0]]
        cells = tuple(sorted(position.board.at(cell) for cell in position.puzzle.under[spot]))
        pieces.append((piece.kind, _common(piece.label, letters), cells))
    return (tuple(sorted(pieces)), position.values)


# -- all positions ----------------------------------------------------------------------------------


def _compare_metrics(game: Game, puzzle: CompiledPuzzle, text: str, most: int) -> Outcome:
    """Compare the minimum in one of the metrics, for which the independent player searches once more."""
    names = list(game.document.get("metrics") or {})
    if not names:
        return Outcome("equal")
    name = names[len(text) % len(names)]
    try:
        mine = minimum(game, name, most)
        theirs = puzzle.solve(name).cost
    except (Unsupported, TooLarge, UsageError, DocumentError):
        return Outcome("equal")
    if mine == (theirs[0] if isinstance(theirs, tuple) else theirs):
        return Outcome(
            "equal", f"and the minimum in a metric with {game.document['metrics'][name]}"
        )
    return Outcome("different", difference=f"in {name}, independent: {mine}, fewest: {theirs}")


def _counts_moves(metric: Metric) -> bool:
    return all(part.merge == "none" for part in metric.parts)


def with_ones(puzzle: CompiledPuzzle) -> CompiledPuzzle:
    """The puzzle with a further metric that counts every move as 1."""
    rules = [rule.name for rule in puzzle.puzzle.rules]
    part = MetricPart(name=ONES, weights=dict.fromkeys(rules, 1), merge="none")
    counted = replace(puzzle.puzzle, metrics={**puzzle.puzzle.metrics, ONES: Metric(ONES, (part,))})
    return CompiledPuzzle(counted, puzzle.document)


def explored(puzzle: CompiledPuzzle) -> Found:
    """What `fewest` finds."""
    found = puzzle.explore(metric=ONES)
    best = found.minimum
    if isinstance(best, tuple):
        (best,) = best
    return Found([number for _, number in found.layers], found.num_goal_states, best)


def examples() -> dict[str, str]:
    """The complete puzzles of the reference of the language, by name."""
    text = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```yaml\n(puzzle: (\S+)\n.*?)^```", text, re.MULTILINE | re.DOTALL)
    return {name: text for text, name in blocks}


def shipped() -> dict[str, str]:
    """The texts of the shipped puzzles, by name."""
    paths: list[Path] = sorted((ROOT / "puzzles").rglob("*.yaml"))
    return {path.stem: path.read_text(encoding="utf-8") for path in paths}
