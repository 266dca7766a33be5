"""Errors: one tree of exceptions, and diagnostics with a stable code and a location for every mistake in a document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import cached_property
from typing import TypeAlias

from msgspec import Struct

from fewest.sanitize import hidden, shown

MAX_SHOWN = 50
LINE_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")  # the line breaks of YAML

# Every stable code with its meaning. docs/errors.md has an example of each, and tests/bad has a document.
CODES: dict[str, str] = {
    # reading
    "document-too-large": "the file is larger than 1 MB",
    "document-encoding": "the file is not UTF-8 text",
    "document-empty": "there is nothing in the file",
    "document-several": "a file holds one document, not several separated by `---`",
    "document-not-mapping": "the top level is not a map of keys",
    "yaml-syntax": "YAML cannot read this",
    "yaml-quote": "a text that YAML reads as something else unless it is in quotes",
    "yaml-tab": "a tab where YAML requires spaces",
    "yaml-tag": "tags such as `!!python` are not supported",
    "yaml-depth": "nested deeper than 50 levels",
    "yaml-alias": "aliases that contain themselves or grow without bound",
    "duplicate-key": "the same key twice in one map",
    # documents
    "unknown-key": "a key that does not exist here",
    "wrong-type": "a value of the wrong type",
    "wrong-value": "a value that is not among those allowed",
    "missing-key": "a key that must be there",
    "model-not-found": "`model` or `extends` names something that does not exist",
    "extends-cycle": "models that extend each other in a circle",
    "document-name": "a document is named by `puzzle`, or by `model`",
    # levels of collections
    "unknown-format": "a file that no reader of levels recognises",
    "level-missing": "a file of levels without a level",
    "level-character": "a character that has no meaning in a level",
    "level-player": "a level without a player, or with several",
    "level-boxes": "a level without targets, or with more targets than boxes",
    "level-open": "a level whose walls let the player out",
    "level-run": "run lengths that give no row, or a level that is too large",
    "level-xml": "XML that cannot be read as levels",
    "level-line": "a line that is not a board, in a file with one board per line",
    # names and parameters
    "bad-name": "a name that is not allowed, or is used already",
    "parameter-range": "a parameter outside its range",
    "template": "a `{template}` that cannot be filled in",
    # board and pieces
    "board-missing": "this needs a board",
    "board-empty": "a drawing without cells",
    "board-joined": "a drawing whose lines YAML has joined",
    "board-ragged": "rows of different lengths",
    "board-character": "a character or token without a meaning",
    "terrain-cell": "a cell outside the board",
    "legend-unused": "a legend entry that no drawing uses (a warning)",
    "legend-letter": "a legend entry for a character that is a letter of its kind (a warning)",
    "unknown-legend-meaning": "the legend names neither terrain nor kind",
    "bad-letters": "`letters` that are not a set of characters",
    "letter-claimed": "a letter or token that two kinds have",
    "shape-empty": "a shape without cells",
    "piece-torn": "a piece whose cells are not connected, or do not form its shape",
    "piece-parts": "a letter named as one piece whose cells do not touch (a warning)",
    "layer-clash": "kinds of one layer on one cell, or of several in one word",
    "piece-misplaced": "a piece that stands where it may not",
    "no-long-axis": "`along` for a piece that is as wide as it is high",
    "along-without-piece": "`along` in a rule instead of a piece",
    "puzzle-empty": "neither a board nor variables",
    # words
    "unknown-piece": "no such kind or letter",
    "unknown-terrain": "no such terrain",
    "unknown-direction": "no such direction",
    "unknown-rule": "no such rule",
    "unknown-metric": "no such metric",
    "geometry-unsaid": "hexagonal directions without `geometry: hex` (a warning)",
    "bad-offset": "an offset that is not a step",
    # variables
    "variable-index": "indices and loops that do not fit",
    "variable-values": "values that are not allowed",
    "variable-layout": "a layout that does not fit its variables",
    "value-out-of-range": "a value that the variable does not have",
    # rules
    "rules-missing": "a puzzle without moves",
    "start-unsettled": "a start at which a consequence applies",
    "then-endless": "consequences that would never end (a warning)",
    "then-undefined": "consequences that may give a variable an impossible value, or no value (a warning)",
    "rule-idle": "a rule that can never apply (a warning)",
    "rule-unused": "a rule that applies in no reachable position (a warning)",
    "forbid-unused": "a condition of `forbid` that no move makes true (a warning)",
    "condition-always": "a condition that is always true (a warning)",
    "rule-circle": "a rule whose `can` refers to the rule itself",
    "name-hides": "an index with the name of a piece or a variable (a warning)",
    "move-kind": "a rule of none of the six kinds, or of several",
    "move-key-unused": "a key that this kind of rule does not have",
    "pattern-length": "`before` and `after` of different sizes",
    "colours-apart": "a pattern over kinds that have no colour in common",
    "pattern-word": "an element that cannot be read",
    "pattern-wall": "a pattern that moves walls",
    "pattern-unknown-place": "`after` changes a place that `before` does not mention",
    "pattern-new-piece": "it is not clear which piece appears",
    "pattern-copy": "a piece that `_` leaves where it is, and that appears a second time (a warning)",
    "pattern-large-piece": "a pattern that moves a piece of several cells",
    "label-form": "a label of a move that is empty, too long, or has a comma",
    "edge-form": "an edge between cells that cannot have one",
    "graph-form": "a graph that is not valid",
    "cycle-cell": "a ring over cells that cannot form one",
    "cycle-piece": "rings that never turn, because a piece of several cells blocks them",
    # pictures
    "drawing-word": "`drawing` names something that the puzzle does not have",
    "drawing-colour": "an unknown colour",
    "drawing-symbol": "a symbol that is empty or too long",
    # goals and metrics
    "goal-form": "not a form of condition",
    "goal-impossible": "a condition that can never hold",
    "goal-exact": "a goal drawing that distinguishes pieces of equal shapes (a warning)",
    "goal-some": "a goal that one of several pieces of a kind satisfies (a warning)",
    "goal-never": "a goal that no position can satisfy (a warning)",
    "start-solved": "a start that satisfies the goal (a warning)",
    "start-forbidden": "a start that `forbid` rules out (a warning)",
    "goal-size": "a goal drawing that differs from the board in size",
    "goal-shape": "a piece that has another shape in the drawing of the goal",
    "metric-pair": "a lexicographic metric has two parts",
    "metric-weight": "a weight outside its range",
    # expressions
    "expression-syntax": "an expression that cannot be read",
    "expression-unsupported": "Python that is not part of expressions",
    "expression-unknown-name": "an unknown name in an expression",
    "expression-ambiguous": "a word that means several pieces where one is needed",
    "expression-index": "an index that does not exist",
    "expression-type": "an operation on the wrong type of value",
    "expression-too-long": "an expression longer or deeper than the limit",
    "expression-runaway": "an evaluation past the limit of steps or digits",
    # size
    "task-too-large": "the puzzle is larger than the limits",
}


# The path to a node: the path of its parent, and its key or index there. None at the top.
Trail: TypeAlias = "tuple[Trail, str | int] | None"


class Source(Struct, frozen=True, eq=False, dict=True):
    """The text of a document, and its name for messages."""

    name: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return LINE_BREAK.split(self.text)

    def line(self, number: int) -> str:
        """Line `number`, from 1; empty past the end."""
        lines = self.lines
        return lines[number - 1] if 0 < number <= len(lines) else ""


class SourceLocation(Struct, frozen=True, eq=False):
    """A part of one line of a source; line and column count from 1."""

    source: Source
    line: int = 1
    column: int = 1
    length: int = 1
    trail: Trail = None

    @property
    def path(self) -> str:
        """The path of the key, such as `moves.jump.before[1]`."""
        parts: list[str] = []
        trail = self.trail
        while trail is not None:
            trail, part = trail
            parts.append(f"[{part}]" if isinstance(part, int) else f".{part[:40]}")
        return "".join(reversed(parts)).removeprefix(".")


class Exit(IntEnum):
    """The exit codes of the command line."""

    ANSWERED = 0
    FAILED = 1  # an expectation or a cross-check failed
    USAGE = 2
    BAD_INPUT = 3
    LIMIT = 4  # time, memory or Ctrl-C stopped it; the output has the proved bounds
    UNSOLVABLE = 10  # proven
    BUG = 70  # a bug in this package
    OUTPUT = 74  # the output could not be written
    INTERRUPTED = 130  # Ctrl-C came before any result


class FewestError(Exception):
    """The base class of all errors of this package; `hint` is a suggestion, or empty."""

    exit_code = Exit.BAD_INPUT

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message


class DocumentError(FewestError):
    """A document has mistakes; `diagnostics` has all of them, each with its code and location."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(f"{len(diagnostics)} mistake{'s' * (len(diagnostics) != 1)}")
        self.diagnostics = tuple(diagnostics)

    def __str__(self) -> str:
        shown = [diagnostic.format() for diagnostic in self.diagnostics[:MAX_SHOWN]]
        if len(self.diagnostics) > MAX_SHOWN:
            shown.append(f"and {len(self.diagnostics) - MAX_SHOWN} more")
        return "\n".join(shown)


class NotFoundError(FewestError):
    """Raised for a puzzle, model or file that does not exist."""


class UsageError(FewestError):
    """A caller's mistake: a metric, an engine or a parameter that does not exist."""

    exit_code = Exit.USAGE


class TimeLimitError(FewestError):
    """The time limit was reached before there was an answer."""

    exit_code = Exit.LIMIT


class InternalError(FewestError):
    """A bug in this package."""

    exit_code = Exit.BUG


class Diagnostic(Struct, frozen=True):
    """One mistake in a document, with everything needed to print it."""

    severity: str  # "error" or "warning"
    code: str
    file: str
    line: int  # from 1
    column: int  # from 1, in characters
    length: int
    message: str
    expected: str | None = None
    found: str | None = None
    hint: str | None = None
    excerpt: str = ""  # the line of the file
    path: str = ""  # the path of the key, such as `moves.jump.before[1]`

    def format(self) -> str:
        """The text of the mistake: location, code, message, the line with carets, hint.

        Control characters of the document never reach the terminal.
        """
        location = f"{_escape(self.file)}:{self.line}:{self.column}"
        text = f"{location}: {self.severity}[{self.code}]: {_escape(self.message)}"
        if self.expected is not None:
            text += f"\n  expected: {_escape(self.expected)}"
        if self.found is not None:
            text += f"\n  found: {_escape(self.found)}"
        if self.excerpt.strip():
            number = str(self.line)
            excerpt = _one_column_each(self.excerpt)
            before = excerpt[: self.column - 1]
            under = excerpt[self.column - 1 : self.column - 1 + self.length]
            line = excerpt.rstrip()
            if len(line) > 160:
                line = line[:157] + "..."
            carets = "^" * max(1, _width(under))
            if _width(before) < 160:
                text += f"\n  {number} | {line}\n  {' ' * len(number)} | {' ' * _width(before)}{carets[:160]}"
        if self.hint:
            text += f"\n  hint: {_escape(self.hint)}"
        return text


def _width(text: str) -> int:
    """The columns of a text in a terminal: wide characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(
        2 if east_asian_width(character) in "WF" else category(character) not in ("Mn", "Me")
        for character in text
    )


def _escape(text: str) -> str:
    return hidden().sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _one_column_each(text: str) -> str:
    """The text, with a blank for every tab and a replacement for every other character that cannot be shown."""
    return shown(text.replace("\t", " "))


class Report:
    """Collects the mistakes of one document, so that all are reported together."""

    def __init__(self) -> None:
        self._found: dict[Diagnostic, None] = {}

    def error(
        self,
        code: str,
        where: SourceLocation,
        message: str,
        *,
        expected: str | None = None,
        found: str | None = None,
        hint: str | None = None,
    ) -> None:
        """Add a mistake. Raises InternalError for a code that is not in CODES."""
        self._add("error", code, where, message, expected, found, hint)

    def warning(
        self, code: str, where: SourceLocation, message: str, *, hint: str | None = None
    ) -> None:
        """Add a warning: the document remains usable."""
        self._add("warning", code, where, message, None, None, hint)

    def _add(
        self,
        severity: str,
        code: str,
        where: SourceLocation,
        message: str,
        expected: str | None,
        found: str | None,
        hint: str | None,
    ) -> None:
        if code not in CODES:
            raise InternalError(f"the error code {code} is not registered")
        diagnostic = Diagnostic(
            severity,
            code,
            where.source.name,
            where.line,
            where.column,
            where.length,
            _shorten(message, 400),
            expected,
            None if found is None else _shorten(found, 80),
            hint,
            where.source.line(where.line),
            where.path,
        )
        self._found[diagnostic] = None

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Add the mistakes of another report."""
        for diagnostic in diagnostics:
            self._found[diagnostic] = None

    def clear(self) -> None:
        """Drop all mistakes, because another report has them."""
        self._found.clear()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All mistakes, in the order of the file."""
        return tuple(sorted(self._found, key=lambda d: (d.file, d.line, d.column)))

    def has_errors(self) -> bool:
        """Whether any diagnostic is an error."""
        return any(diagnostic.severity == "error" for diagnostic in self._found)

    def raise_if_errors(self) -> None:
        """Raise DocumentError with all diagnostics, if any of them is an error."""
        if self.has_errors():
            raise DocumentError(self.diagnostics)


def _shorten(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."


def suggest(word: str, candidates: Sequence[str]) -> str | None:
    """The candidate most similar to `word`, or None."""
    from difflib import get_close_matches

    lowered = {candidate.lower(): candidate for candidate in candidates}
    near = get_close_matches(word.lower(), list(lowered), n=1, cutoff=0.6)
    return lowered[near[0]] if near else None


def did_you_mean(word: str, candidates: Iterable[str], otherwise: str = "") -> str:
    """The hint for a word that does not exist: the most similar candidate, or else `otherwise`."""
    near = suggest(word, list(candidates))
    return f"did you mean `{near}`?" if near else otherwise
