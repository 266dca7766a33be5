"""Compiles a document to a `Puzzle` in one pass, which resolves all names and reports mistakes.

Readers of rare parts are imported only if a document has such parts, because most processes read only a single
document.

The order is: parameters → constants → legend, board and pieces → variables and names in expressions → classes →
rules and consequences → goal and forbid → metrics → expectations → drawing style.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fewest.errors import DocumentError, Report, UsageError, did_you_mean, line_break, listed
from fewest.model.board import DIRECTION_GROUPS, GRAPH, TRIANGULAR, Board
from fewest.model.expression import Indices, Scope
from fewest.model.puzzle import Piece, Puzzle, Variable
from fewest.model.rules import Cycle, Pattern, Rule, Stage
from fewest.model.style import Style
from fewest.reading.board_sizes import board_sizes
from fewest.reading.classes import build_classes
from fewest.reading.context import Context, Path
from fewest.reading.document import STRETCH
from fewest.reading.drawings import Drawing, Legend, Symbol, read_drawing, report_joined
from fewest.reading.drawn_pieces import DrawnPiece, PieceReader, shape_of
from fewest.reading.goals import GoalReader
from fewest.reading.layers import AND
from fewest.reading.loader import LoadedDocument
from fewest.reading.metrics import read_expectations, read_metrics
from fewest.reading.rules import read_rules, report_circles

if TYPE_CHECKING:
    from fewest.model.conditions import Condition
    from fewest.reading.variables import Slots

# the characters to use for meanings without a character in the legend, the usual one first
_USUAL = {"floor": ".·,_~-", "wall": "#█▓%"}


RESERVED = frozenset(("any", "empty", "floor", "ground", "not", "wall", "_"))
"""the words that no kind may have as its name, because they have other meanings in patterns and legends"""


def read_puzzle(
    loaded: LoadedDocument,
    overrides: Mapping[str, int],
    letters: frozenset[str] = frozenset(),
) -> Puzzle:
    """The puzzle that a loaded document describes.

    `overrides` are parameter values that replace those in the document. The pieces with one of `letters` have classes
    of their own even if the document names none of these letters. Raises DocumentError with every mistake found,
    and UsageError if the puzzle does not have one of the given parameters.
    """
    report = Report()
    report.extend(loaded.report.diagnostics)
    context = Context(loaded, report)
    puzzle = _PuzzleReader(context, letters).read(overrides)
    report.raise_if_errors()
    assert puzzle is not None
    return replace(puzzle, origin=partial(read_puzzle, loaded, dict(overrides), letters))


class _PuzzleReader:
    def __init__(self, context: Context, letters: frozenset[str] = frozenset()) -> None:
        self.context = context
        self.letters = letters
        self.report = context.report
        self.document = context.document

    def read(self, overrides: Mapping[str, int]) -> Puzzle | None:
        """The puzzle; None after reporting the mistakes in the document."""
        context = self.context
        context.parameters = self._parameters(overrides)
        if self.document.constants:
            from fewest.reading.constants import read_constants

            read_constants(context)
        if self.report.has_errors():
            return None
        context.kinds = tuple(self.document.pieces or {})
        self._check_kinds()
        if self.document.board is None and context.loaded.is_joined(("board",)):
            report_joined(context, ("board",))
            return None
        legend, drawn = self._board()
        if self.document.board is not None and (context.board is None or legend is None):
            return None
        variables = self._names(legend, drawn)
        class_of = None if variables is None else self._classes(legend, drawn)
        if variables is None or class_of is None:
            return None
        rules, then, stages = self._rules()
        if any(isinstance(rule, Cycle) for rule in rules) and not self.report.has_errors():
            from fewest.reading.cycles import report_stuck

            report_stuck(context, (*rules, *then), drawn, class_of)
        goal, forbid = self._conditions(legend)
        self._check_places()
        metrics, default = read_metrics(context, rules)
        expectations = read_expectations(context, metrics)
        style = self._style(variables)
        if legend is not None:
            legend.warn_unused()
            legend.warn_of_letters()
        if self.report.has_errors():
            return None
        document = self.document
        called = document.puzzle or document.model or "puzzle"
        title = context.template(("title",), document.title) if document.title else None
        source = document.source or ""
        names = self._display_names()
        return Puzzle(
            name=called,
            title=_in_one_line(title or called),
            file=str(context.loaded.location(()).source.name),
            board=context.board,
            classes=context.classes,
            pieces=tuple(map(partial(_piece, names), drawn, class_of)),
            variables=variables,
            rules=rules,
            then=then,
            stages=stages,
            order=document.order or "top-down",
            goal=goal,
            forbid=forbid,
            metrics=metrics,
            default_metric=default,
            expectations=expectations,
            parameters=context.parameters,
            characters=_characters(legend, context.board),
            letters={} if legend is None else legend.characters,
            names=names,
            source=source if isinstance(source, str) else "; ".join(source),
            notes=document.notes or "",
            style=style,
            warnings=tuple(d for d in self.report.diagnostics if d.severity == "warning"),
            error_for=self._error_for,
        )

    def _check_kinds(self) -> None:
        """Report kinds with names that mean something else in patterns, drawings and expressions."""
        for name in self.context.kinds:
            if name in RESERVED or "|" in name or AND.strip() in name or name.endswith(STRETCH):
                message = f"`{name}` is not a valid name for a kind"
                hint = f"{', '.join(f'`{word}`' for word in sorted(RESERVED))} have other meanings"
                self.context.error(("pieces", name), "bad-name", message, hint=hint, at_key=True)

    def _warn_of_hidden_pieces(self) -> None:
        """Warn about parameters, constants and variables that have the name of a kind or of a letter."""
        context, document = self.context, self.document
        for section in ("parameters", "constants", "variables"):
            for key in getattr(document, section) or {}:
                name = key.partition("[")[0].strip()
                if name in context.piece_words:
                    what = section.removesuffix("s")
                    message = (
                        f"in expressions, `{name}` means the {what}, not the piece of that name"
                    )
                    context.warn((section, key), "name-hides", message, hint=f"rename the {what}")

    def _names(self, legend: Legend | None, drawn: list[DrawnPiece]) -> tuple[Variable, ...] | None:
        """Define all names, and return the variables; None if the names cannot be defined."""
        context, document = self.context, self.document
        symbols = {} if legend is None else legend.symbols
        context.aliases = {
            key: found.kind for key, found in symbols.items() if found.kind is not None
        }
        context.labels = frozenset(piece.label for piece in drawn if piece.label is not None)
        if context.board is not None:
            context.sizes = board_sizes(context)
        variables, slots = self._variables()
        self._warn_of_hidden_pieces()
        if document.board is None and not variables:
            if document.variables and context.report.has_errors():
                return None  # the mistakes in the variables have already been reported
            what = document.puzzle or document.model or "this document"
            hint = (
                None
                if document.puzzle
                else "this document is a model; write a puzzle that uses the model and has a board"
            )
            message = f"`{what}` has neither a board nor variables"
            context.error((), "puzzle-empty", message, hint=hint)
            return None
        context.variable_words = {
            name: frozenset(
                value
                for slot in found.values()
                for value in variables[slot].values
                if isinstance(value, str)
            )
            for name, found in slots.items()
        }
        context.scope = self._scope(variables, slots, drawn)
        return variables

    def _variables(self) -> tuple[tuple[Variable, ...], Slots]:
        if not self.document.variables:
            return (), {}
        from fewest.reading.variables import read_variables

        return read_variables(self.context)

    def _style(self, variables: tuple[Variable, ...]) -> Style:
        if self.document.drawing is None:
            return Style()
        from fewest.reading.style import read_style

        return read_style(self.context, variables)

    def _classes(self, legend: Legend | None, drawn: list[DrawnPiece]) -> list[int] | None:
        """The class of every piece; None if a mistake was reported."""
        context = self.context
        letters = self.letters.intersection(context.labels)
        if context.labels:
            from fewest.reading.named_letters import named_letters

            letters |= named_letters(context, legend)
        classes = build_classes(context, drawn, letters)
        if classes is None:
            return None
        context.classes, class_of = classes
        families = Counter(c.family for c in context.classes)
        context.turned = frozenset(c.id for c in context.classes if families[c.family] > 1)
        pieces = Counter(class_of)
        context.pieces_of_class = {c.id: pieces[c.id] for c in context.classes}
        if context.board is not None:
            self._check_standing(drawn, class_of)
        return class_of

    def _rules(self) -> tuple[tuple[Rule, ...], tuple[Rule, ...], tuple[Stage, ...]]:
        """The rules of moves, the consequences, and their stages."""
        context = self.context
        rules = read_rules(context)
        then, stages = self._consequences()
        report_circles(context, rules)
        if not (self.document.moves or {}):
            context.error(
                (), "rules-missing", "this puzzle has no `moves`, so the player can never move"
            )
        context.created = frozenset(
            class_id
            for rule in (*rules, *then)
            if isinstance(rule, Pattern)
            for form in rule.forms
            for _, class_id in form.created
        )
        return rules, then, stages

    def _consequences(self) -> tuple[tuple[Rule, ...], tuple[Stage, ...]]:
        if self.document.then is None and self.document.order is None:
            return (), ()
        from fewest.reading.consequences import read_consequences

        return read_consequences(self.context)

    def _check_places(self) -> None:
        """Report expressions that read the row or column of a piece if rules create more pieces of its kind."""
        context = self.context
        for word, path in context.placed:
            if any(context.classes[c].answers_to(word) for c in context.created):
                context.error(
                    path,
                    "expression-ambiguous",
                    f"`{word}` can mean several pieces, because rules create more of them",
                )

    def _display_names(self) -> dict[str, str]:
        """The display names of letters and kinds."""
        return {
            key: _in_one_line(self.context.template(("names", key), text) or text)
            for key, text in (self.document.names or {}).items()
        }

    def _error_for(self, code: str, message: str, hint: str, path: Path = ()) -> DocumentError:
        """An error at a part of the document; by default, at the part that determines the size of the puzzle."""
        report = Report()
        loaded = self.context.loaded
        sizes = [(key,) for key in ("parameters", "board", "variables")]
        known = next((p for p in [path, *sizes] if p and loaded.has(p)), None)
        location = loaded.key_location(known) if known else loaded.location(())
        report.error(code, location, message, hint=hint)
        return DocumentError(report.diagnostics)

    # -- parameters -----------------------------------------------------------------------------------

    def _parameters(self, overrides: Mapping[str, int]) -> dict[str, int]:
        declared = self.document.parameters or {}
        for name in overrides:
            if name not in declared:
                puzzle = self.document.puzzle or self.document.model
                hint = listed("parameter", declared) or f"{puzzle} has no parameters"
                raise UsageError(
                    f"{puzzle} has no parameter `{name}`", hint=did_you_mean(name, declared, hint)
                )
        out: dict[str, int] = {}
        for name, raw in declared.items():
            path = ("parameters", name)
            if not self.context.is_name(path, name, "a parameter"):
                continue
            low, high = None, None
            value = raw if isinstance(raw, int) else raw.default
            if not isinstance(raw, int):
                low, high = raw.min, raw.max
            value = overrides.get(name, value)
            if (low is not None and value < low) or (high is not None and value > high):
                bounds = f"{'…' if low is None else low} … {'…' if high is None else high}"
                self.context.error(
                    path,
                    "parameter-range",
                    f"the value {value} of `{name}` is outside the range {bounds}",
                    at_key=True,
                )
            out[name] = value
        return out

    # -- board ----------------------------------------------------------------------------------------

    def _board(self) -> tuple[Legend | None, list[DrawnPiece]]:
        context, document = self.context, self.document
        if document.board is None:
            for key in ("legend", "terrain", "geometry", "wrap", "edges", "levels", "graph"):
                if context.loaded.has((key,)):
                    context.error(
                        (key,),
                        "board-missing",
                        f"`{key}` needs a board, but this puzzle has none",
                        at_key=True,
                    )
            return None, []
        terrains = self._terrain_names()
        shapes = {}
        for name, kind in (document.pieces or {}).items():
            if kind is not None and kind.shape is not None:
                path = ("pieces", name, "shape")
                shape = shape_of(context, path, kind.shape, is_together=kind.parts == "together")
                if shape is not None:
                    shapes[name] = shape
        context.shapes = shapes
        legend = Legend(context, terrains)
        is_graph = document.graph is not None
        drawing = read_drawing(context, ("board",), document.board, is_padded=is_graph)
        if drawing is not None and document.edges is not None:
            from fewest.reading.edges import is_drawn, without_lines

            drawing = without_lines(context, drawing) if is_drawn(context) else drawing
        if drawing is None or self.report.has_errors():
            return None, []
        symbols = legend.read(("board",), drawing, document.board, has_gaps=is_graph)
        if symbols is not None and is_graph:
            from fewest.reading.graph import graph_symbols

            symbols = graph_symbols(context, drawing, symbols)
        if symbols is None:
            return None, []
        wrap = document.wrap or []
        sides = [wrap] if isinstance(wrap, str) else list(wrap)
        wraps_rows = "rows" in sides or "both" in sides
        wraps_columns = "columns" in sides or "both" in sides
        board = Board(
            len(drawing.rows),
            drawing.columns,
            _walls(symbols),
            self._terrain(symbols, terrains),
            wraps_rows,
            wraps_columns,
            document.geometry or "square",
        )
        context.board = self._with_directions(board, drawing)
        reader = PieceReader(context, ("board",), symbols, shapes, context.board)
        return legend, reader.pieces()

    def _with_directions(self, board: Board, drawing: Drawing) -> Board:
        """The board, with the directions between its cells that the document defines. Reports mistakes."""
        context, document = self.context, self.document
        if document.graph is not None:
            from fewest.reading.graph import with_graph

            for key in ("geometry", "wrap", "edges", "levels"):
                if context.loaded.has((key,)):
                    message = f"`{key}` and `graph` cannot be used together"
                    context.error((key,), "graph-form", message, at_key=True)
            return with_graph(context, board)
        if board.geometry in TRIANGULAR:
            from fewest.reading.triangles import with_triangles

            return with_triangles(context, board)
        if document.edges is not None:
            from fewest.reading.edges import with_edges

            board = with_edges(context, board, drawing)
        if document.levels is not None:
            from fewest.reading.levels import with_levels

            board = with_levels(context, board)
        return board

    def _terrain_names(self) -> list[str]:
        terrain = self.document.terrain or []
        for name in terrain:
            if name in ("floor", "wall", "not") or " " in name or "|" in name:
                self.context.error(
                    ("terrain",), "bad-name", f"`{name}` is not a valid name for a terrain"
                )
        return list(terrain)

    def _terrain(
        self, symbols: list[list[Symbol]], terrains: list[str]
    ) -> dict[str, frozenset[int]]:
        width, height = len(symbols[0]), len(symbols)
        cells: dict[str, set[int]] = {name: set() for name in terrains}
        for row, line in enumerate(symbols):
            for column, symbol in enumerate(line):
                if symbol.terrain is not None:
                    cells[symbol.terrain].add(row * width + column)
        if isinstance(self.document.terrain, Mapping):
            for name, spec in self.document.terrain.items():
                for index, (row, column) in enumerate(getattr(spec, "cells", None) or []):
                    if 0 <= row < height and 0 <= column < width:
                        cells[name].add(row * width + column)
                    else:
                        self.context.error(
                            ("terrain", name, "cells", index),
                            "terrain-cell",
                            f"({row}, {column}) is outside the board",
                        )
        return {name: frozenset(found) for name, found in cells.items()}

    def _check_standing(self, drawn: list[DrawnPiece], class_of: list[int]) -> None:
        """Report pieces that are drawn where they are not allowed."""
        context = self.context
        assert context.board is not None
        for piece, class_id in zip(drawn, class_of, strict=True):
            fault = piece.fault(context.board, context.classes[class_id].cells)
            if fault is not None:
                name = piece.label or piece.kind
                where = context.board.coordinates(piece.cell)
                context.error(("board",), "piece-misplaced", f"`{name}` at {where} {fault}")

    # -- names and conditions ---------------------------------------------------------------------------

    def _scope(
        self,
        variables: tuple[Variable, ...],
        slots: Mapping[str, Mapping[Indices, int]],
        drawn: list[DrawnPiece],
    ) -> Scope:
        context = self.context
        values = {value for variable in variables for value in variable.values}
        pieces = frozenset(context.piece_words)
        terrains = frozenset(context.board.terrain) if context.board else frozenset()
        values_in_rules = frozenset(value for value in values if isinstance(value, str))
        grounds = terrains | {"floor"} if context.board else terrains
        symbols = pieces | values_in_rules | grounds | context.words
        symbols |= {
            index
            for found in slots.values()
            for indices in found
            for index in indices
            if isinstance(index, str)
        }
        for family, kinds in context.loaded.families.items():
            symbols |= {kind.removesuffix(f"-{family}") for kind in kinds}
        if context.board is not None and context.board.geometry != GRAPH:
            symbols |= DIRECTION_GROUPS.keys()
        words = [
            word
            for piece in drawn
            for word in {piece.kind, piece.label or piece.kind, context.family_of(piece.kind)}
            if word is not None
        ]
        single = frozenset(word for word in words if words.count(word) == 1)
        moves = self.document.moves or {}
        return Scope(
            frozenset(context.names),
            slots,
            symbols,
            context.board is not None,
            pieces,
            single,
            terrains,
            frozenset(moves),
            frozenset(name for name, entry in moves.items() if entry.together is not None),
            self.context.layers,
            "square" if context.board is None else context.board.geometry,
            frozenset(self.document.then or {}),
            _word_values(variables, slots),
        )

    def _conditions(self, legend: Legend | None) -> tuple[Condition | None, tuple[Condition, ...]]:
        document = self.document
        reader = GoalReader(self.context, legend)
        goal = None if document.goal is None else reader.read(("goal",), document.goal)
        raw = document.forbid
        if raw is None:
            return goal, ()
        if isinstance(raw, list):
            found = [reader.read(("forbid", index), part) for index, part in enumerate(raw)]
        else:
            found = [reader.read(("forbid",), raw)]
        return goal, tuple(part for part in found if part is not None)


def _in_one_line(text: str) -> str:
    """A text on one line, so that no part of it can be mistaken for the program's own output."""
    return text if text.isprintable() else line_break().sub(" ", text)


def _word_values(
    variables: tuple[Variable, ...], slots: Mapping[str, Mapping[Indices, int]]
) -> dict[str, str]:
    """One of the words that each variable can be, by its name; `true` if that is one of them."""
    found: dict[str, str] = {}
    for name, members in slots.items():
        values = [value for slot in members.values() for value in variables[slot].values]
        words = [value for value in values if isinstance(value, str)]
        if words:
            found[name] = "true" if "true" in words else words[0]
    return found


def _piece(names: Mapping[str, str], drawn: DrawnPiece, class_id: int) -> Piece:
    label = drawn.label or drawn.kind
    name = names.get(drawn.label or "", names.get(drawn.kind, label))
    return Piece(class_id, drawn.anchor, label, name)


def _walls(symbols: list[list[Symbol]]) -> frozenset[int]:
    width = len(symbols[0])
    return frozenset(
        row * width + column
        for row, line in enumerate(symbols)
        for column, symbol in enumerate(line)
        if symbol.is_wall
    )


def _characters(legend: Legend | None, board: Board | None) -> dict[str, str]:
    """For each meaning, the character to use in a drawing: the first such character of the legend.

    A drawing shows a floor cell or a wall without such a character as `.` or `#`. If this character means something
    else, the result contains another character.
    """
    out: dict[str, str] = {}
    for key, symbol in (legend.symbols if legend else {}).items():
        if symbol.is_wall:
            meaning = "wall"
        elif symbol.kind is None:
            meaning = symbol.terrain or "floor"
        else:
            meaning = AND.join((symbol.kind, *symbol.below))
            meaning += f" on {symbol.terrain}" if symbol.terrain else ""
        out.setdefault(meaning, key)
    if legend is not None and board is not None and board.geometry != GRAPH:
        for meaning, characters in _USUAL.items():
            if meaning not in out and legend.has(characters[0]):
                free = (character for character in characters if not legend.has(character))
                out[meaning] = next(free, characters[0])
    return out
