"""Errors: a single hierarchy of exceptions, and diagnostics, which give every mistake in a document a stable code and a
location.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import cache, cached_property
from typing import TypeAlias

from msgspec import Struct

from fewest.sanitize import hidden, shown

MAX_SHOWN = 50  # the maximum number of mistakes of a document that are printed
MAX_WARNINGS = 20  # the maximum number of warnings about a valid document that are printed

# Every stable code, with its meaning. For each code, docs/errors.md contains an example. For each code except
# `document-too-large`, tests/bad contains a document.
CODES: dict[str, str] = {
    # reading
    "document-too-large": "the file is larger than 1 MB",
    "document-encoding": "the file is not UTF-8 text",
    "document-empty": "the file is empty",
    "document-several": "the file contains several documents, separated by `---`, but only one is allowed",
    "document-not-mapping": "the top level of the document is not a map of keys and values",
    "yaml-syntax": "the document is not valid YAML",
    "yaml-quote": "YAML misreads a text because it is not in quotes",
    "yaml-tab": "a tab is used where YAML requires spaces",
    "yaml-tag": "the document contains a tag, such as `!!python`; tags are not supported",
    "yaml-depth": "the document is nested more than 50 levels deep",
    "yaml-alias": "an alias has no anchor, contains itself, or makes the document too large",
    "duplicate-key": "a map contains the same key twice",
    # documents
    "unknown-key": "a key is not allowed at this location",
    "wrong-type": "a value has the wrong type",
    "wrong-value": "a value is not one of the allowed values",
    "missing-key": "a required key is missing",
    "model-not-found": "`model` or `extends` names a model that does not exist",
    "extends-cycle": "models extend each other in a cycle",
    "document-name": "the name of the document (the value of `puzzle` or `model`) is missing or invalid",
    # levels of collections
    "unknown-format": "a file is not in any of the supported level formats",
    "level-missing": "a level file contains no level",
    "level-character": "a level contains a character that has no meaning",
    "level-player": "a level has no player, or more than one",
    "level-boxes": "a level has no targets, or it has more targets than boxes",
    "level-open": "the walls of a level do not enclose the player",
    "level-run": "run-length encoding is used incorrectly, or the level is too large",
    "level-xml": "a level file contains XML that is invalid or not supported",
    "level-line": "in a file with one board per line, one of the lines is not a board",
    # names and parameters
    "bad-name": "a name is not allowed, or is already in use",
    "parameter-range": "a parameter is out of range",
    "template": "a `{template}` is invalid or has no value",
    # board and pieces
    "board-missing": "the document uses something that needs a board, but has no board",
    "board-empty": "a drawing has no cells",
    "board-joined": "YAML joins the lines of a drawing, because the `|` is missing",
    "board-ragged": "the rows of a drawing have different lengths",
    "board-character": "a character or token in a drawing has no meaning",
    "terrain-cell": "a cell is outside the board",
    "legend-unused": "the legend has an entry that no drawing uses (a warning)",
    "legend-letter": "the legend defines a character that is already a letter of the same kind (a warning)",
    "unknown-legend-meaning": "a legend entry names something that is neither a terrain nor a kind, or that is both",
    "bad-letters": "the value of `letters` is not a set of characters",
    "letter-claimed": "two kinds have the same letter or token",
    "shape-empty": "a shape has no cells",
    "piece-torn": "the cells of a piece are not connected, or do not form its shape",
    "piece-round": "a piece goes round a board that wraps, or touches itself round the board",
    "piece-parts": "a letter is used like the name of one piece, but its cells do not touch (a warning)",
    "layer-clash": "two kinds in the same layer share a cell, or one word names kinds in different layers",
    "piece-misplaced": "a piece is on a cell that it may not enter, or lies across a wall",
    "no-long-axis": "a piece whose directions are `along` has no long axis, because it is as wide as it is high",
    "along-without-piece": "a rule uses `along`, which only kinds may use",
    "puzzle-empty": "the puzzle has neither a board nor variables",
    # words
    "unknown-piece": "there is no kind or piece of this name",
    "unknown-terrain": "there is no terrain of this name",
    "unknown-direction": "there is no direction of this name",
    "unknown-rule": "there is no rule of this name",
    "unknown-metric": "there is no metric of this name",
    "geometry-unsaid": "the puzzle uses hexagonal directions but does not set `geometry` (a warning)",
    "bad-offset": "an offset is not a pair [rows, columns], or both of its numbers are zero",
    # variables
    "variable-index": "the indices of a variable do not match its loops",
    "variable-values": "the values of a variable are invalid",
    "variable-layout": "a layout does not fit its variables",
    "value-out-of-range": "a variable is set to a value that is not one of its values",
    # rules
    "rules-missing": "the puzzle has no moves",
    "start-consequence": "a consequence applies at the start",
    "then-endless": "a move has consequences that would never end (a warning)",
    "then-undefined": "a consequence may give a variable an impossible value, or no value (a warning)",
    "rule-idle": "a rule can never apply (a warning)",
    "rule-unused": "a rule applies in none of the positions that can be reached (a warning)",
    "forbid-unused": "no move ever makes a condition under `forbid` true (a warning)",
    "condition-always": "a condition is always true (a warning)",
    "rule-circle": "the `can` of a rule refers to that rule, directly or through other rules",
    "name-hides": "an index, a constant or a variable has the same name as a piece or a variable (a warning)",
    "move-kind": "a rule belongs to none of the six types, or to several at once",
    "move-key-unused": "a rule contains a key that does not belong to its type",
    "pattern-length": "`before` and `after` have different sizes",
    "colours-apart": "the kinds in a pattern have no colour in common",
    "pattern-word": "an element of a pattern is invalid",
    "pattern-wall": "a pattern adds, moves or removes a wall",
    "pattern-unknown-place": "`after` changes a cell that `before` does not describe",
    "pattern-new-piece": "`after` does not specify which piece appears",
    "pattern-copy": "`_` leaves a piece in its cell, and another piece of its kind appears (a warning)",
    "pattern-directions": "a pattern moves a piece in a direction that its kind does not have (a warning)",
    "pattern-large-piece": "a pattern moves a piece that occupies several cells",
    "label-form": "the label of a move is empty, is too long or contains a comma",
    "edge-form": "an edge is invalid, or this kind of board does not support edges, `wrap` or `levels`",
    "graph-form": "a graph is invalid",
    "cycle-cell": "the given cells do not form a ring",
    "cycle-piece": "a ring can never turn, because a piece that occupies several cells blocks it",
    # pictures
    "drawing-word": "`drawing` names something that does not occur in the puzzle",
    "drawing-colour": "there is no colour of this name",
    "drawing-symbol": "a symbol is empty or too long",
    # goals and metrics
    "goal-form": "a goal or other condition is not in a valid form",
    "goal-impossible": "a goal can never hold, or a condition always holds",
    "goal-exact": "the goal drawing distinguishes pieces that have the same shape (a warning)",
    "goal-some": "the goal names a kind that has several pieces, but one of them is enough to satisfy it (a warning)",
    "goal-never": "no position that can be reached satisfies the goal (a warning)",
    "start-solved": "the start satisfies the goal (a warning)",
    "start-forbidden": "`forbid` excludes the start (a warning)",
    "goal-size": "the goal drawing and the board differ in size",
    "goal-shape": "a piece has one shape on the board and another in the goal drawing",
    "metric-pair": "a lexicographic metric does not have exactly two parts, or a part is itself lexicographic",
    "metric-weight": "a weight is out of range",
    # expressions
    "expression-syntax": "an expression has invalid syntax",
    "expression-unsupported": "an expression uses a part of Python that is not supported",
    "expression-unknown-name": "an expression contains an unknown name",
    "expression-ambiguous": "a word in an expression stands for several pieces where only one is allowed",
    "expression-index": "a variable does not have the given index",
    "expression-type": "an operation receives a value of the wrong type",
    "expression-too-long": "an expression is too long or too deeply nested",
    "expression-runaway": "the evaluation of an expression exceeds the limit on steps or digits",
    # size
    "task-too-large": "the puzzle exceeds a size limit",
}


# The path to a node: the path to its parent, and the key or index of the node in its parent. The value is None at the
# top of the document.
Trail: TypeAlias = "tuple[Trail, str | int] | None"


@cache
def line_break() -> re.Pattern[str]:
    """A pattern that matches the characters that break lines in YAML."""
    return re.compile("\r\n|[\n\r\x85\u2028\u2029]")


def has_line_break(text: str) -> bool:
    """Whether a text has several lines."""
    return not text.isprintable() and line_break().search(text) is not None


class Source(Struct, frozen=True, eq=False, dict=True):
    """The text of a document, and its name for messages."""

    name: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return line_break().split(self.text)

    def line(self, number: int) -> str:
        """The line with this number (from 1); empty if the text has fewer lines."""
        lines = self.lines
        return lines[number - 1] if 0 < number <= len(lines) else ""


class SourceLocation(Struct, frozen=True, eq=False):
    """A part of one line of a source; lines and columns are counted from 1."""

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
    # a limit on time or memory, or Ctrl-C, stopped the command; the output contains the bounds that were proved
    LIMIT = 4
    UNSOLVABLE = 10  # it is proven that there is no plan
    BUG = 70  # a bug in this package
    OUTPUT = 74  # the output could not be written
    INTERRUPTED = 130  # Ctrl-C ended the command before there was a result
    CLOSED_PIPE = (
        141  # 128 + SIGPIPE: the reader of a pipe closed it before the output was complete
    )


class FewestError(Exception):
    """The base class of all errors of this package; `hint` is a suggestion for the user, and may be empty."""

    exit_code = Exit.BAD_INPUT

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message


class DocumentError(FewestError):
    """Raised for a document that contains errors; `diagnostics` contains the errors and the warnings, each with its
    code and location.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__(f"{len(diagnostics)} mistake{'s' * (len(diagnostics) != 1)}")
        self.diagnostics = tuple(diagnostics)

    def __str__(self) -> str:
        found = self.diagnostics
        if len(found) > MAX_SHOWN:  # warnings must not hide the errors
            found = tuple(sorted(found, key=lambda one: one.severity != "error"))
        shown = [diagnostic.format() for diagnostic in found[:MAX_SHOWN]]
        if len(found) > MAX_SHOWN:
            shown.append(f"and {len(found) - MAX_SHOWN:,} more")
        return "\n".join(shown)


class NotFoundError(FewestError):
    """Raised if a puzzle, model or file does not exist."""


class UsageError(FewestError):
    """Raised if the caller makes a mistake, such as naming a metric, an engine or a parameter that does not exist."""

    exit_code = Exit.USAGE


def conflict(first: str, second: str, *, hint: str = "leave out one of them") -> UsageError:
    """The error for two options that cannot be used together."""
    return UsageError(f"{first} and {second} cannot be used together", hint=hint)


class TimeLimitError(FewestError):
    """Raised if the time limit is reached before there is an answer."""

    exit_code = Exit.LIMIT


class InternalError(FewestError):
    """Raised if there is a bug in this package."""

    exit_code = Exit.BUG


_WINDOW = 160  # the maximum number of characters of a line that a diagnostic shows


class Diagnostic(Struct, frozen=True):
    """One error or warning in a document, with all data that are needed to print it."""

    severity: str  # "error" or "warning"
    code: str
    file: str
    line: int  # counted from 1
    column: int  # counted from 1, in characters
    length: int
    message: str
    expected: str | None = None
    found: str | None = None
    hint: str | None = None
    excerpt: str = ""  # the line of the file that contains the mistake
    path: str = ""  # the path of the key, such as `moves.jump.before[1]`

    def format(self) -> str:
        """The text of the error or warning: its location, its severity and code, and the message. If they are known,
        the expected and the found value, the line with carets, and the hint follow on further lines.

        Control characters of the document are escaped or replaced.
        """
        location = f"{_escape(self.file)}:{self.line}:{self.column}"
        text = f"{location}: {self.severity}[{self.code}]: {_escape(self.message)}"
        if self.expected is not None:
            text += f"\n  expected: {_escape(self.expected)}"
        if self.found is not None:
            text += f"\n  found: {_escape(self.found)}"
        text += self._marked_line()
        if self.hint:
            text += f"\n  hint: {_escape(self.hint)}"
        return text

    def _marked_line(self) -> str:
        """The line that contains the mistake, and carets below the mistake. Of a long line, only the part around the
        mistake is shown, so the time does not depend on the length of the line.
        """
        first = self.column - 1
        fits = len(self.excerpt) <= _WINDOW or first < _WINDOW // 2
        start = 0 if fits else first - _WINDOW // 4
        end = start + _WINDOW
        line = _one_column_each(self.excerpt[start:end]).rstrip()
        if not line:
            return ""
        before = "..." * (start > 0) + line[: first - start]
        under = line[first - start : first - start + self.length]
        line = "..." * (start > 0) + line + "..." * (len(self.excerpt) > end)
        margin = " " * len(str(self.line))
        carets = "^" * max(1, _width(under))
        return f"\n  {self.line} | {line}\n  {margin} | {' ' * _width(before)}{carets}"


def _width(text: str) -> int:
    """The number of terminal columns that a text occupies: wide characters take two columns, and combining marks take
    none.
    """
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
    """The text with a blank in place of every tab, and a substitute in place of every other character that cannot be
    shown.
    """
    return shown(text.replace("\t", " "))


class Report:
    """Collects the mistakes in one document, so that all of them are reported together."""

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
        """Add an error. Raises InternalError if the code is not in CODES."""
        self._add("error", code, where, message, expected, found, hint)

    def warning(
        self, code: str, where: SourceLocation, message: str, *, hint: str | None = None
    ) -> None:
        """Add a warning; the document remains usable. Raises InternalError if the code is not in CODES."""
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
        """Remove all errors and warnings; the caller has stored them elsewhere."""
        self._found.clear()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All errors and warnings, sorted by file, line and column."""
        return tuple(sorted(self._found, key=lambda d: (d.file, d.line, d.column)))

    def has_errors(self) -> bool:
        """Whether any diagnostic is an error."""
        return any(diagnostic.severity == "error" for diagnostic in self._found)

    def raise_if_errors(self) -> None:
        """Raise DocumentError with all diagnostics, if any diagnostic is an error."""
        if self.has_errors():
            raise DocumentError(self.diagnostics)


def _shorten(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."


def suggest(word: str, candidates: Sequence[str]) -> str | None:
    """The candidate that is the most similar to `word`, ignoring case; None if no candidate is similar."""
    from difflib import get_close_matches

    lowered = {candidate.lower(): candidate for candidate in candidates}
    near = get_close_matches(word.lower(), list(lowered), n=1, cutoff=0.6)
    return lowered[near[0]] if near else None


def no_goal(name: str) -> UsageError:
    """The error for a puzzle without a goal, in a command that needs one."""
    return UsageError(f"{name} has no goal", hint="define a goal under `goal`")


def listed(noun: str, names: Iterable[str], most: int = 12) -> str:
    """The hint that lists the possible names, such as "the metrics are moves, pushes"; empty if there are no names.

    `noun` is one noun in the singular, or several joined by " or ". At most `most` names are listed.
    """
    known = list(names)
    if not known:
        return ""
    if len(known) == 1:
        return f"the only {noun} is {known[0]}"
    parts = [part.partition(" of ") for part in noun.split(" or ")]
    several = " and ".join(f"{head}s{of}{tail}" for head, of, tail in parts)
    return f"the {several} are {', '.join(known[:most])}{', …' if len(known) > most else ''}"


def joined(words: Iterable[str], last: str) -> str:
    """The words as one phrase, with the conjunction `last` before the last word: "auto, bfs or astar"."""
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end


def did_you_mean(word: str, candidates: Iterable[str], otherwise: str = "") -> str:
    """The hint for a word that does not exist: the most similar candidate or, if none is similar, `otherwise`."""
    near = suggest(word, list(candidates))
    return f"did you mean `{near}`?" if near else otherwise
