"""Runs the tests of a document by the rules. A test consists of a position, moves in the words that plans use, and the
expected result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, structs

from fewest.commands.limited import uninterrupted
from fewest.commands.solve import solve
from fewest.drawing.text import draw, variable_lines
from fewest.errors import DocumentError, FewestError, joined
from fewest.formats.stand_alone import plain_values
from fewest.model.answer import Limits, counted
from fewest.model.board import DIRECTION_GROUPS
from fewest.model.position import start_at
from fewest.model.puzzle import Puzzle
from fewest.playing.plan_parser import (
    LabelledPosition,
    ambiguity_message,
    labelled_start,
    matching_moves,
)
from fewest.playing.replay import Subjects
from fewest.playing.rules import is_goal, legal_moves
from fewest.playing.step import phrase
from fewest.reading.document import TestEntry
from fewest.reading.loader import LoadedDocument
from fewest.reading.positions import read_position
from fewest.reading.puzzle import read_puzzle

NOT_ALLOWED, DEAD, GOAL = "not allowed", "dead", "goal"
# the maximum number of allowed moves that a message lists when a move is not allowed
_MOST_MOVES = 12
# the tests in the text of a document
_TESTS = re.compile(r"^tests:.*?(?=^[^\s#-]|\Z)", re.MULTILINE | re.DOTALL)


class RuleTest(Struct, frozen=True):
    """The result of one test: `found` equals `expected` if the test passes, and is None if a limit stopped the test."""

    number: int
    line: int
    title: str
    expected: str
    found: str | None
    drawing: tuple[str, ...]
    """the position before the last move, if the test fails"""


def run_rule_tests(loaded: LoadedDocument, limits: Limits | None = None) -> Iterator[RuleTest]:
    """Run all tests of a document in order. A mistake in a position makes the test fail instead of raising an error."""
    for index, entry in enumerate(loaded.document.tests or ()):
        line = loaded.location(("tests", index)).line
        moves = [entry.move] if isinstance(entry.move, str) else entry.move or []
        title = entry.title or ", ".join(moves) or entry.gives.strip().replace("\n", "/")
        expected = _lines(entry.gives)
        try:
            found, before = _played(loaded, entry, moves, limits or Limits())
        except DocumentError as error:
            found, before = f"the position has a mistake: {_in_one_line(error)}", ()
        except FewestError as error:
            found, before = str(error), ()
        expected_text = "/".join(expected)
        drawing = () if found is None or found == expected_text else before
        yield RuleTest(index + 1, line, title, expected_text, found, tuple(drawing))


def _in_one_line(error: DocumentError) -> str:
    """The messages and hints of mistakes. The locations are omitted, because they refer to the text of a position and
    not to the document. Warnings are omitted, because a small position need not use the whole legend.
    """
    mistakes = [one for one in error.diagnostics if one.severity == "error"]
    texts = [f"{one.message} [{one.code}]" for one in mistakes]
    hints = [f" ({one.hint})" if one.hint else "" for one in mistakes]
    return "; ".join(text + hint for text, hint in zip(texts, hints, strict=True))


def _lines(text: str) -> list[str]:
    """The rows of a drawing, which is given as several lines or, as for `--at`, as one line with slashes between the
    rows.
    """
    rows = text.rstrip("\n").split("\n")
    return [row.rstrip() for row in (rows if len(rows) > 1 else rows[0].split("/"))]


def _played(
    loaded: LoadedDocument, entry: TestEntry, moves: Sequence[str], limits: Limits
) -> tuple[str | None, Sequence[str]]:
    """The result of a test, and the drawing of the position before its last move."""
    puzzle = _puzzle_of(loaded, entry)
    labelled = labelled_start(puzzle)
    before = draw(labelled.position, labelled.labels)
    for number, move in enumerate(moves, 1):
        before = draw(labelled.position, labelled.labels)
        found = matching_moves(puzzle, labelled, move)
        if len(found) > 1:
            return ambiguity_message(move, found), before
        if not found:
            unknown = _unknown_words(loaded, move)
            if unknown:
                return f"nothing in the puzzle is called {joined(unknown, 'or')}: `{move}`", before
            is_expected = entry.gives.strip() == NOT_ALLOWED and number == len(moves)
            return NOT_ALLOWED if is_expected else _refused(move, labelled, puzzle), before
        _, labelled = found[0]
    return _outcome(entry.gives.strip(), puzzle, labelled, limits), before


def _unknown_words(loaded: LoadedDocument, move: str) -> list[str]:
    """The words of a move that neither occur in the document or its models outside their tests nor are names of
    directions.

    A test that a move is not allowed would otherwise also pass if the name of the rule or piece is misspelled. A model
    may have removed a rule of the model that it extends, so the texts of both count.
    """
    data = {key: plain_values(node) for key, node in loaded.tree.items.items() if key != "tests"}
    texts = (_TESTS.sub("", text) for text in loaded.texts)
    known = set(_words(" ".join([str(data), *texts, *DIRECTION_GROUPS])))
    return [f"`{word}`" for word in dict.fromkeys(_words(move)) if word not in known]


def _words(text: str) -> list[str]:
    """The words of at least two letters."""
    return re.findall(r"[^\W\d_]{2,}", text)


def _refused(move: str, labelled: LabelledPosition, puzzle: Puzzle) -> str:
    """The message for a move that is not allowed; it lists the first few allowed moves."""
    words = dict.fromkeys(phrase([step]) for step, _ in labelled.steps(Subjects(puzzle)))
    if not any(legal_moves(labelled.position)):
        return f"`{move}` is not allowed, and no other move is allowed"
    listed = ", ".join(list(words)[:_MOST_MOVES])
    return f"`{move}` is not allowed; the allowed moves are {listed}"


def _outcome(wanted: str, puzzle: Puzzle, labelled: LabelledPosition, limits: Limits) -> str | None:
    """The outcome of the moves: `goal` or `dead` if this is wanted and true, otherwise a drawing of the final position.
    If `dead` is wanted but false, a message states the minimum. The result is None if a limit stopped the search.
    """
    if wanted == GOAL and puzzle.goal is not None and is_goal(labelled.position):
        return GOAL
    if wanted == DEAD and puzzle.goal is not None:
        start = start_at(puzzle, labelled.position)
        result = uninterrupted(solve(start, limits=limits, audit="off"))
        if result.status == "limit":
            return None
        if result.status == "unsolvable":
            return DEAD
        assert result.cost is not None, "there is a plan"
        return f"a goal can be reached: {counted(result.cost, result.metric)}"
    drawn = [line.rstrip() for line in draw(labelled.position, labelled.labels)]
    if wanted not in (GOAL, DEAD, NOT_ALLOWED):
        # a drawing may omit the variables, but no row of the board
        rows = len(drawn) - len(variable_lines(labelled.position))
        drawn = drawn[: max(rows, len(_lines(wanted)))]
    return "/".join(drawn)


def _puzzle_of(loaded: LoadedDocument, entry: TestEntry) -> Puzzle:
    """The puzzle at the position of a test, on the board of the test or, if the test has no board, on the board of the
    puzzle.
    """
    document = structs.replace(loaded.document, expect=None)
    if entry.board is not None:
        document = structs.replace(document, board=entry.board)
    puzzle = read_puzzle(structs.replace(loaded, document=document), {})
    if entry.at is None:
        return puzzle
    return read_position(loaded, puzzle, entry.at, "the position of the test")
