"""The data that all readers of one document share: its locations, its report, and the names and the board read so
far.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from fewest.errors import DocumentError, Report, did_you_mean, listed
from fewest.model.board import (
    DIRECTION_GROUPS,
    GRAPH,
    TRIANGULAR,
    Board,
    Shape,
    direction_of,
)
from fewest.model.expression import Env, Expression, ExpressionError, Scope, Target, Value
from fewest.model.puzzle import PieceClass, classes_by_word
from fewest.reading.clock import look

if TYPE_CHECKING:
    from fewest.reading.document import Document
    from fewest.reading.loader import LoadedDocument

Path = tuple[str | int, ...]
MAX_BINDINGS = 100_000


class Context(Struct, dict=True):
    """The shared data. Reading a document fills the attributes in this order: parameters, constants, board, scope,
    classes.
    """

    loaded: LoadedDocument
    report: Report
    parameters: Mapping[str, int] = field(default_factory=dict)
    constants: Mapping[str, Value] = field(default_factory=dict)
    # The numbers of rows and columns of the board, under the names `rows` and `columns`.
    sizes: Mapping[str, Value] = field(default_factory=dict)
    words: frozenset[str] = frozenset()  # The words in constants, which stand for themselves.
    board: Board | None = None
    classes: tuple[PieceClass, ...] = ()
    kinds: tuple[str, ...] = ()
    labels: frozenset[str] = frozenset()
    # For each character of the legend, the kind that it draws.
    aliases: Mapping[str, str] = field(default_factory=dict)
    scope: Scope = field(default_factory=Scope)
    # For each variable, the words among its possible values.
    variable_words: Mapping[str, frozenset[str]] = field(default_factory=dict)
    # For each kind, its shape, if the document specifies one.
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    pieces_of_class: Mapping[int, int] = field(default_factory=dict)
    created: frozenset[int] = frozenset()  # The classes of pieces that rules create.
    # The classes of pieces that rules can change into pieces of other classes.
    turned: frozenset[int] = frozenset()
    # The words in `row(...)` and `col(...)`, with their paths in the document.
    placed: list[tuple[str, Path]] = field(default_factory=list)
    # Letters that several pieces share and that have already caused a warning about this.
    warned_words: set[str] = field(default_factory=set)

    @property
    def document(self) -> Document:
        return self.loaded.document

    @cached_property
    def layers(self) -> Mapping[int, int]:
        """Maps the number of a layer in the document to its index, counted from the lowest layer."""
        layers = {
            0 if spec is None else spec.layer for spec in (self.document.pieces or {}).values()
        }
        return {layer: number for number, layer in enumerate(sorted(layers or {0}))}

    @property
    def names(self) -> dict[str, Value]:
        """The names with values that are known early: the size of the board, parameters and constants."""
        return {**self.sizes, **self.parameters, **self.constants}

    @property
    def piece_words(self) -> list[str]:
        """The words for pieces: the kinds (including kinds of several colours), then the letters."""
        return [*self.kinds, *self.loaded.families, *sorted(self.labels)]

    @cached_property
    def _piece_words(self) -> frozenset[str]:
        """`piece_words` as a set. The set is cached, so the kinds and letters must be complete before its first use."""
        return frozenset(self.piece_words)

    def family_of(self, kind: str) -> str | None:
        """The kind of several colours to which a kind belongs, if any."""
        return next((word for word, kinds in self.loaded.families.items() if kind in kinds), None)

    def class_count(self, class_id: int) -> int | None:
        """The number of pieces of a class; None if rules create such pieces or change them into pieces of other
        classes.
        """
        is_open = class_id in self.created or class_id in self.turned
        return None if is_open else self.pieces_of_class.get(class_id, 0)

    def num_pieces(self, word: str) -> int | None:
        """The number of pieces that match a word; None if rules create such pieces or change their class."""
        counts = [self.class_count(piece.id) for piece in self.answering(word)]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    def num_at_start(self, word: str) -> int:
        """The number of pieces that match a word at the start."""
        return sum(self.pieces_of_class.get(piece.id, 0) for piece in self.answering(word))

    def answering(self, word: str) -> Sequence[PieceClass]:
        """The classes that a word means."""
        return self._answering.get(word, ())

    @cached_property
    def _answering(self) -> Mapping[str, Sequence[PieceClass]]:
        return classes_by_word(self.classes)

    def warn_of_parts(self, path: Path, word: str) -> None:
        """Warn about a letter that the document treats as one piece if its cells do not touch and therefore form
        several pieces.
        """
        kinds = {piece.kind for piece in self.answering(word) if piece.label == word}
        number = self.num_pieces(word)
        if word in self.warned_words or len(kinds) != 1 or number is None or number < 2:
            return
        kind = kinds.pop()
        spec = (self.document.pieces or {}).get(kind)
        if spec is None or (spec.parts is None and spec.shape is None):
            self.warned_words.add(word)
            message = f"`{word}` means {number} pieces here, because the cells of `{word}` do not all touch"
            hint = f"for the kind `{kind}`, write `parts: together` if `{word}` is one piece, or else `parts: apart`"
            self.warn(path, "piece-parts", message, hint=hint)

    # -- errors -------------------------------------------------------------------------------------

    def error(
        self,
        path: Path,
        code: str,
        message: str,
        *,
        expected: str | None = None,
        found: str | None = None,
        hint: str | None = None,
        inside: tuple[int, int, int] | None = None,
        at_key: bool = False,
    ) -> None:
        """Report a mistake at a value or its key. If `inside` is given, the location is the given (row, column, length)
        inside the value.
        """
        if at_key:
            location = self.loaded.key_location(path)
        elif inside is not None:
            location = self.loaded.inside(path, *inside)
        else:
            location = self.loaded.location(path)
        self.report.error(code, location, message, expected=expected, found=found, hint=hint)

    def warn(self, path: Path, code: str, message: str, *, hint: str | None = None) -> None:
        self.report.warning(code, self.loaded.key_location(path), message, hint=hint)

    def unknown(self, path: Path, code: str, what: str, word: str, known: Sequence[str]) -> None:
        """Report an unknown name, with the nearest known name."""
        hint = did_you_mean(word, known, listed(what, known))
        self.error(path, code, f"there is no {what} `{word}`", hint=hint or None)

    def error_for(self, path: Path, error: ExpressionError) -> DocumentError:
        """The exception for an error in an expression, with its location in the document."""
        report = Report()
        self._report_expression(report, path, error)
        return DocumentError(report.diagnostics)

    def _report_expression(self, report: Report, path: Path, error: ExpressionError) -> None:
        location = self.loaded.inside(path, error.line, error.offset, error.length)
        report.error(error.code, location, error.message, hint=error.hint or None)

    # -- expressions and templates --------------------------------------------------------------------

    def expression(
        self, path: Path, text: str, scope: Scope | None = None, *, is_condition: bool = False
    ) -> Expression | None:
        """The checked expression, or None after reporting its mistakes. `is_condition`: whether it must be true or
        false.
        """
        from fewest.reading.expressions import parse_expression

        look()
        try:
            known = self.scope if scope is None else scope
            parsed = parse_expression(text, known, is_condition=is_condition)
        except ExpressionError as error:
            self._report_expression(self.report, path, error)
            return None
        for word in parsed.places_pieces:
            self.placed.append((word, path))
        return replace(parsed, error_for=lambda error: self.error_for(path, error))

    def target(self, path: Path, text: str, scope: Scope) -> Target | None:
        """The checked left side of a `set`, or None if a mistake was reported."""
        from fewest.reading.expressions import parse_target

        try:
            parsed = parse_target(text, scope)
        except ExpressionError as error:
            location = self.loaded.key_location(path)
            self.report.error(error.code, location, error.message, hint=error.hint or None)
            return None
        return replace(parsed, error_for=lambda error: self.error_for(path, error))

    @property
    def geometry(self) -> str:
        """The geometry of the board, which is known before the board has been read."""
        document = self.document
        return GRAPH if document.graph is not None else document.geometry or "square"

    def _plain_scope(self, names: Mapping[str, object], words: Iterable[str] = ()) -> Scope:
        """The scope of expressions that do not read the state; the words for directions stand for themselves."""
        directions = frozenset() if self.geometry == GRAPH else DIRECTION_GROUPS.keys()
        symbols = self.words.union(directions, words)
        return Scope(frozenset(names), symbols=symbols, geometry=self.geometry)

    def constant(
        self,
        path: Path,
        text: str,
        names: Mapping[str, object] | None = None,
        words: Iterable[str] = (),
    ) -> object:
        """The value of an expression over parameters, constants and, if given, `names`; None if a mistake was
        reported. `words`: further words that the expression may contain.
        """
        from fewest.reading.expressions import parse_expression

        known = {**self.names, **(names or {})}
        scope = self._plain_scope(known, words)
        try:
            return parse_expression(text, scope).evaluate(known)
        except ExpressionError as error:
            self._report_expression(self.report, path, error)
            return None

    def integer(
        self,
        path: Path,
        value: int | str,
        names: Mapping[str, object] | None = None,
        words: Iterable[str] = (),
    ) -> int | None:
        """A whole number, given as a number or as an expression; None if a mistake was reported.

        `words`: further words that the expression may contain.
        """
        result: object = value
        # a text is usually a number, which needs no expression parser
        if isinstance(value, str):
            is_number = value.isdecimal() and len(value) < 18 and str(int(value)) == value
            result = int(value) if is_number else self.constant(path, value, names, words)
        if result is None:
            return None
        if isinstance(result, bool) or not isinstance(result, int):
            self.error(path, "wrong-type", "expected a whole number", found=str(result))
            return None
        return result

    def template(
        self,
        path: Path,
        text: str,
        names: Mapping[str, object] | None = None,
        word_texts: Mapping[str, str] | None = None,
    ) -> str | None:
        """The text with the values of its `{expressions}`; None if a mistake was reported.

        If a value is a word in `word_texts`, the text of that word replaces it.
        """
        if "{" not in text and "}" not in text:
            return text
        from fewest.reading.expressions import fill_template

        try:
            known = {**self.names, **(names or {})}
            return fill_template(text, known, word_texts, self.geometry)
        except ExpressionError as error:
            variables = {key.partition("[")[0] for key in self.document.variables or {}}
            line = [*text.split("\n"), ""][error.line]
            wrong = line[error.offset : error.offset + error.length].partition("[")[0]
            if error.code == "expression-unknown-name" and wrong in variables:
                # placeholders are filled in before the first move, when variables have no current value to show
                error.message = f"a text cannot show the variable `{wrong}`"
                error.hint = (
                    "a text can contain loops, parameters and constants; a loop over the values, as in "
                    f"`for: {{value: VALUES}}` with `when: {wrong} == value`, can show them"
                )
            self._report_expression(self.report, path, error)
            return None

    def listed(
        self, path: Path, raw: Sequence[object], names: Mapping[str, object]
    ) -> list[object] | None:
        """The values of a list in the document: numbers, expressions over `names`, or words; None if a mistake was
        reported.

        A word that is not a name in `names` stands for itself, and so does a direction such as `up-left`.
        """
        out: list[object] = []
        for index, item in enumerate(raw):
            is_word = isinstance(item, str) and (item.isidentifier() or item in DIRECTION_GROUPS)
            if not isinstance(item, str) or (is_word and item not in names):
                out.append(item)
                continue
            value = self.constant((*path, index), item, names)
            if value is None:
                return None
            out.append(value)
        return out

    def bindings(
        self, path: Path, loops: Mapping[str, str | list[int | str]] | None
    ) -> list[dict[str, Value]]:
        """The names in scope for each binding of the `for` loops, including parameters and constants; empty if a
        mistake was reported.
        """
        out: list[dict[str, Value]] = [self.names]
        for name, text in (loops or {}).items():
            here = (*path, name)
            if not self.is_name(here, name, "an index"):
                return []
            grown: list[dict[str, Value]] = []
            for names in out:
                values = self._loop_values(here, text, names)
                if values is None:
                    return []
                look()
                grown.extend({**names, name: value} for value in values)
                if len(grown) > MAX_BINDINGS:
                    self.error(
                        here,
                        "task-too-large",
                        f"these loops exceed the limit of {MAX_BINDINGS:,} bindings",
                        hint="remove loops over values; `when` and `set` can use the variables directly",
                    )
                    return []
            out = grown
        return out

    def _loop_values(
        self, path: Path, raw: str | list[int | str], names: Mapping[str, Value]
    ) -> list[int | str] | None:
        found: Any
        if isinstance(raw, str) and raw not in names:
            group = self.direction_names(raw)
            if group is not None:
                return [*group]
        if isinstance(raw, str):
            scope = self._plain_scope(names)
            expression = self.expression(path, raw, scope)
            if expression is None:
                return None
            found = expression.evaluate_in(Env(names))
        else:
            found = self.listed(path, raw, names)
            if found is None:
                return None
        if isinstance(found, (int, str)):
            from fewest.reading.expression_values import RANGE_HINT

            self.error(
                path,
                "wrong-type",
                "expected a range, a list, or a constant that is a list or a table",
                found=f"`{found}`",
                hint=RANGE_HINT,
            )
            return None
        values: list[int | str] = []
        for value in found:
            if not isinstance(value, (int, str)):
                self.error(path, "wrong-type", "the values of a loop must be numbers or text")
                return None
            values.append(int(value) if isinstance(value, bool) else value)
            if len(values) > MAX_BINDINGS:
                break
        return values

    def is_name(self, path: Path, name: str, what: str) -> bool:
        """Whether expressions can contain this name of a value; if not, reports a mistake at its key."""
        hint = None
        if iskeyword(name):
            hint = "expressions reserve this word, so choose another name"
        elif not name.isidentifier():
            fitting = re.sub(r"\W", "_", name)
            example = f", as in `{fitting}`" if fitting.isidentifier() else ""
            hint = f"use letters, digits and `_`{example}; the name must not begin with a digit"
        if hint is not None:
            message = f"`{name}` is not a valid name for {what}"
            self.error(path, "bad-name", message, hint=hint, at_key=True)
        return hint is None

    # -- words --------------------------------------------------------------------------------------

    def piece_word(self, path: Path, word: str, others: Collection[str] = ()) -> str | None:
        """The kind or letter that `word` means; None after reporting an unknown word.

        A character that represents a kind in the legend means that kind. `others`: other allowed words, for the hint.
        """
        if word == "any" or word in self._piece_words:
            return word
        if word in self.aliases:
            return self.aliases[word]
        known = [*self.piece_words, "any", *sorted(others)]
        hint = self._other_form(path, word)
        if "," in word and hint is None:
            hint = "write A|B for one of several pieces"
        if hint is None:
            self.unknown(path, "unknown-piece", "piece", word, known)
        else:
            self.error(path, "unknown-piece", f"there is no piece `{word}`", hint=hint)
        return None

    def _other_form(self, path: Path, word: str) -> str | None:
        """The hint for a word that means a loop of the rule, or several kinds where only one is allowed; None for any
        other word.
        """
        section, name = (*path, "", "")[:2]
        rules = {"moves": self.document.moves, "then": self.document.then}.get(str(section)) or {}
        rule = rules.get(str(name))
        if rule is not None and word in (rule.for_ or {}):
            return f'for the value of the loop `{word}`, write "{{{word}}}"'
        parts = [part.strip(" '") for part in re.split(r"[|,]", word.strip("[]"))]
        if len(parts) > 1 and all(part == "any" or part in self._piece_words for part in parts):
            if path and path[-1] in ("every", "some"):
                joined = "all" if path[-1] == "every" else "any"
                goals = ", ".join(f"{{{path[-1]}: {part}, …}}" for part in parts)
                return f"name one kind at a time: `{joined}: [{goals}]`"
            if "," in word:
                return None
            total = " + ".join(f"count({part}, TERRAIN)" for part in parts)
            return f"only one kind can be named here; an expression can add the numbers of several kinds: {total}"
        return None

    def is_piece_word(self, word: str) -> bool:
        """Whether a word means pieces."""
        return word in self._piece_words or word in self.aliases or word == "any"

    def is_terrain(self, word: str) -> bool:
        """Whether a word is the name of a terrain of the board, or `floor`."""
        return word == "floor" or (self.board is not None and word in self.board.terrain)

    def terrain(self, path: Path, text: str) -> frozenset[int] | None:
        """The cells of a terrain, of `A|B` or of `not A`; None if a mistake was reported."""
        assert self.board is not None
        words = text.removeprefix("not ").strip().split("|")
        cells: set[int] = set()
        for word in words:
            found = self._terrain(path, word)
            if found is None:
                return None
            cells |= found
        is_negated = text.startswith("not ")
        return frozenset(self.board.floors).difference(cells) if is_negated else frozenset(cells)

    def _terrain(self, path: Path, word: str) -> frozenset[int] | None:
        """The cells of one terrain (`floor`: cells without terrain); None if a mistake was reported."""
        assert self.board is not None
        if word == "floor":
            marked = (
                frozenset().union(*self.board.terrain.values())
                if self.board.terrain
                else frozenset()
            )
            return frozenset(self.board.floors) - marked
        cells = self.board.terrain.get(word)
        if cells is None:
            self.unknown(path, "unknown-terrain", "terrain", word, [*self.board.terrain, "floor"])
        return cells

    def direction_names(self, word: str) -> list[str] | None:
        """The names of the directions in a group of several directions, such as `orthogonal`; None for `knight`, for
        any other word, and on a graph.
        """
        board = self.board
        geometry = "square" if board is None else board.geometry
        if word == "strips" and board is not None and self.has_triangles:
            return [each.name for each in board.straight]
        offsets = DIRECTION_GROUPS.get(geometry if word == "hex" else word, ())
        if len(offsets) < 2 or word == "knight" or geometry == GRAPH:
            return None
        return [direction_of(offset).name for offset in offsets]

    @property
    def has_triangles(self) -> bool:
        """Whether the cells of the board are triangles."""
        return self.board is not None and self.board.geometry in TRIANGULAR
