"""Reads the conditions in `goal` and `forbid`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct

from fewest.errors import did_you_mean
from fewest.model.answer import counted
from fewest.model.board import GRAPH, Board, Shape
from fewest.model.conditions import (
    AllOf,
    AnyOf,
    CellsCovered,
    Condition,
    ExpressionHolds,
    PieceCount,
    PiecesAsDrawn,
    PiecesAt,
)
from fewest.model.puzzle import PieceClass
from fewest.reading.clock import look
from fewest.reading.context import Context, Path
from fewest.reading.document import ConditionMap, Placement
from fewest.reading.drawings import Legend, Symbol, read_drawing
from fewest.reading.drawn_pieces import DrawnPiece, PieceReader, by_layer

_SIDES = ("left", "right", "top", "bottom")
_PIECE_KEYS = Placement.__struct_fields__
_OWN_KEYS = ConditionMap.__struct_fields__
_ALWAYS_TRUE = "such a condition would be true in every position"
NEVER = AnyOf(())
"""the condition that holds in no position"""
_Reason = tuple[str, str]
"""the code of an error, and the reason why no position is as drawn"""
_PLACEMENTS = "{touches: SIDE}, {at: [row, column]}, {covers: TERRAIN} or {on: TERRAIN}"


class _NoPlace(Struct, frozen=True):
    """The reason why pieces have no place on the board that satisfies a condition."""

    reason: str
    hint: str | None = None


class GoalReader:
    """Reads conditions, checking them against the board and the classes of a context."""

    def __init__(self, context: Context, legend: Legend | None) -> None:
        self.context = context
        self.legend = legend

    def read(self, path: Path, raw: object) -> Condition | None:
        """The condition, or None after reporting its mistakes."""
        look()
        if isinstance(raw, str):
            expression = self.context.expression(path, raw, is_condition=True)
            return None if expression is None else ExpressionHolds(expression, self.context.names)
        if isinstance(raw, list):
            return self._several(path, raw, any_of=True)
        if isinstance(raw, Mapping):
            return self._map(path, raw)
        self.context.error(
            path,
            "goal-form",
            "this value is not a valid condition",
            found=str(raw),
            expected="an expression, a map such as {X: {touches: right}}, or a list of them",
        )
        return None

    def _several(self, path: Path, raw: list[object], *, any_of: bool) -> Condition | None:
        parts = [self.read((*path, index), part) for index, part in enumerate(raw)]
        if not parts:
            self.context.error(path, "goal-form", "this list of conditions is empty")
        found = tuple(part for part in parts if part is not None)
        if len(found) < len(parts) or not found:
            return None
        return AnyOf(found) if any_of else AllOf(found)

    def _map(self, path: Path, raw: Mapping[str, object]) -> Condition | None:
        parts: list[Condition | None] = []
        if not raw:
            self.context.error(path, "goal-form", "this condition is empty")
            return None
        if self._has_misspelt_key(path, raw):
            return None
        for key, value in raw.items():
            here = (*path, key)
            if key in ("all", "any"):
                if isinstance(value, list):
                    parts.append(self._several(here, value, any_of=key == "any"))
                else:
                    self.context.error(
                        here, "goal-form", f"the value of `{key}` must be a list of conditions"
                    )
                    parts.append(None)
            elif key in ("every", "some"):
                parts.append(self._quantified(path, key, raw))
            elif key == "holds":
                if "every" not in raw:
                    self.context.error(here, "goal-form", "`holds` needs `every: TERRAIN`")
                    parts.append(None)
            elif key in _PIECE_KEYS and ("every" in raw or "some" in raw):
                continue  # `_quantified` has read this key
            elif key == "count":
                parts.append(self._count(here, value))
            elif key == "board":
                parts.append(self._drawn(here, value))
            else:
                parts.append(self._piece(here, key, value))
        found = tuple(part for part in parts if part is not None)
        if len(found) < len(parts):
            return None
        return found[0] if len(found) == 1 else AllOf(found)

    def _has_misspelt_key(self, path: Path, raw: Mapping[str, object]) -> bool:
        """Whether a key beside `every` or `some` is similar to one of the keys that belong there. Reports the key."""
        if "every" not in raw and "some" not in raw:
            return False
        keys = ("holds", *_PIECE_KEYS)
        for key in raw:
            if key in keys or self.context.is_piece_word(key) or key in _OWN_KEYS:
                continue
            hint = did_you_mean(key, keys)
            if hint:
                message = f"there is no key `{key}` here"
                self.context.error((*path, key), "goal-form", message, hint=hint, at_key=True)
                return True
        return False

    def _impossible(
        self, path: Path, message: str, hint: str | None = None, *, code: str = "goal-impossible"
    ) -> Condition | None:
        """The result for a condition that can never hold on this board: NEVER under `forbid`, and otherwise None after
        an error.

        Under `forbid`, such a condition is harmless, and a model may have other boards on which it can hold. So there
        is only a warning, and only if the document itself contains the condition.
        """
        if path[0] != "forbid":
            self.context.error(path, code, message, hint=hint)
            return None
        loaded = self.context.loaded
        location = loaded.location(path)
        if location.source is loaded.location(()).source:
            message = f"this condition can never hold: {message}"
            self.context.report.warning("forbid-unused", location, message, hint=hint)
        return NEVER

    def _needs_board(self, path: Path) -> bool:
        if self.context.board is None:
            self.context.error(
                path, "board-missing", "this condition needs a board, but the puzzle has none"
            )
            return False
        return True

    def _quantified(self, path: Path, key: str, raw: Mapping[str, object]) -> Condition | None:
        """The condition for `every: TERRAIN` with `holds`, or for `every` or `some` piece of a kind with a
        placement.
        """
        where = {name: raw[name] for name in _PIECE_KEYS if name in raw}
        if key == "every" and "holds" in raw and where:
            form = next(iter(where))
            self.context.error(
                (*path, form),
                "goal-form",
                f"`holds` and `{form}` cannot be used together",
                hint="write two conditions under `all`",
                at_key=True,
            )
            return None
        if key == "every" and ("holds" in raw or not where):
            return self._every(path, raw)
        here = (*path, key)
        if not self._needs_board(here):
            return None
        if not where or ("every" in raw and "some" in raw):
            message = "`some: KIND` needs a placement"
            if where:
                message = "`every` and `some` cannot be used together"
            self.context.error(here, "goal-form", message, expected=_PLACEMENTS, at_key=True)
            return None
        word = self.context.piece_word(here, str(raw[key]))
        if word is None:
            return None
        if self._number_of(word) == 0:
            message = f"there is no piece `{word}` on the board"
            if key == "some":
                return self._impossible(here, message)
            self.context.error(here, "goal-impossible", message, hint=_ALWAYS_TRUE)
            return None
        return self._placed(path, word, where, is_every=key == "every")

    def _every(self, path: Path, raw: Mapping[str, object]) -> Condition | None:
        if not self._needs_board((*path, "every")):
            return None
        terrain, holds = raw.get("every"), raw.get("holds")
        if not isinstance(holds, str):
            self.context.error(
                (*path, "every"),
                "goal-form",
                "`every: TERRAIN` needs `holds: KIND`, and `every: KIND` needs a placement",
                expected=_PLACEMENTS,
                at_key=True,
            )
            return None
        if self.context.is_piece_word(str(terrain)) and self.context.is_terrain(holds):
            message = "`every: TERRAIN` needs `holds: KIND`"
            hint = f"write `{{every: {terrain}, on: {holds}}}`"
            self.context.error((*path, "every"), "goal-form", message, hint=hint, at_key=True)
            return None
        cells = self.context.terrain((*path, "every"), str(terrain))
        word = self.context.piece_word((*path, "holds"), holds)
        if cells is None or word is None:
            return None
        if not cells:
            self.context.error(
                (*path, "every"),
                "goal-impossible",
                f"no cell of the board has the terrain `{terrain}`",
                hint=_ALWAYS_TRUE,
            )
            return None
        pieces = self._number_of(word)
        if pieces is not None and pieces < -(-len(cells) // self._largest(word)):
            have = "1 cell has" if len(cells) == 1 else f"{len(cells)} cells have"
            message = f"{have} the terrain `{terrain}`, but the number of `{word}` is only {pieces}"
            return self._impossible((*path, "every"), message)
        return CellsCovered(tuple(sorted(cells)), word)

    def _largest(self, word: str) -> int:
        return max((len(c.shape) for c in self.context.classes if c.answers_to(word)), default=1)

    def _number_of(self, word: str) -> int | None:
        """The number of pieces that match a word; None if rules create such pieces or change their class."""
        return self.context.num_pieces(word)

    def _count(self, path: Path, raw: object) -> Condition | None:
        if not self._needs_board(path):
            return None
        if not isinstance(raw, Mapping) or not raw:
            self.context.error(
                path, "goal-form", "the value of `count` must be a map, such as {peg: 1}"
            )
            return None
        parts: list[Condition] = []
        for key, value in raw.items():
            here = (*path, key)
            word = self.context.piece_word(here, str(key))
            number = self.context.integer(here, str(value))
            if number is None or word is None:
                return None
            pieces = self._number_of(word)
            if number < 0 or (pieces is not None and number > pieces):
                start = (
                    None if pieces is None else f"the number of `{word}` at the start is {pieces}"
                )
                message = f"the number of `{word}` can never be {number}"
                never = self._impossible(here, message, start)
                if never is None:
                    return None
                parts.append(never)
                continue
            parts.append(PieceCount(word, number))
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    # -- places of pieces ------------------------------------------------------------------------------

    def _piece(self, path: Path, key: str, raw: object) -> Condition | None:
        if not self._needs_board(path):
            return None
        word = self.context.piece_word(path, key)
        if word is None:
            return None
        if not isinstance(raw, Mapping) or not raw or not set(raw) <= set(_PIECE_KEYS):
            self.context.error(
                path,
                "goal-form",
                f"the condition on `{word}` is not a valid placement",
                expected=_PLACEMENTS,
            )
            return None
        self.context.warn_of_parts(path, word)
        self._warn_of_some(path, key, word, raw)
        return self._placed(path, word, raw)

    def _warn_of_some(self, path: Path, key: str, word: str, raw: Mapping[str, object]) -> None:
        """Warn if a goal applies `on` or `touches` to a kind with several pieces: the goal holds as soon as any one of
        these pieces satisfies the condition.
        """
        number = self.context.num_at_start(word)
        form = next((name for name in ("on", "touches") if name in raw), None)
        if form is None or path[0] != "goal" or word in self.context.labels or number < 2:
            return
        self.context.warn(
            path,
            "goal-some",
            f"`{word}` means {number} pieces, and one of them is enough to satisfy this goal",
            hint=f"write `{{every: {key}, {form}: {raw[form]}}}` if all of them must satisfy the condition, "
            "or `some` instead of `every` if one is enough",
        )

    def _placed(
        self, path: Path, word: str, raw: Mapping[str, object], *, is_every: bool = False
    ) -> Condition | None:
        """The condition that some piece, or every piece, that matches a word has the given placement."""
        classes = [piece for piece in self.context.classes if piece.answers_to(word)]
        assert self.context.board is not None
        board = self.context.board
        anchors = {p.id: set(_fitting(board, p.shape, p.cells)) for p in classes}
        # Without a possible place, a condition on every piece still holds if all these pieces have disappeared.
        nowhere = PiecesAt(word, {}, is_every=True) if is_every and path[0] == "forbid" else None
        for form, value in raw.items():
            allowed = self._anchors((*path, form), form, value, classes, anchors)
            if allowed is None:
                return None
            if isinstance(allowed, _NoPlace):
                return nowhere or self._impossible((*path, form), allowed.reason, allowed.hint)
            for class_id in anchors:
                anchors[class_id] &= allowed.get(class_id, set())
        if not any(anchors.values()):
            message = f"there is no place where `{word}` satisfies this condition"
            return nowhere or self._impossible(path, message)
        placed = {c: frozenset(cells) for c, cells in anchors.items() if cells}
        return PiecesAt(word, placed, is_every)

    def _anchors(
        self,
        path: Path,
        key: str,
        value: object,
        classes: list[PieceClass],
        fitting: Mapping[int, set[int]],
    ) -> dict[int, set[int]] | _NoPlace | None:
        """For each class, the anchors that satisfy one key of a placement; None if a mistake was reported."""
        board = self.context.board
        assert board is not None
        if key == "at":
            if isinstance(value, str) and board.nodes:
                if value not in board.nodes:
                    self.context.unknown(path, "goal-form", "node", value, list(board.nodes))
                    return None
                return {piece.id: {board.nodes[value]} for piece in classes}
            if not isinstance(value, list) or len(value) != 2:
                is_terrain = isinstance(value, str) and value in board.terrain
                self.context.error(
                    path,
                    "goal-form",
                    "the value of `at` must be [row, column], counted from 0",
                    hint=f"write `on: {value}` for a terrain" if is_terrain else None,
                )
                return None
            parts = [part if isinstance(part, int) else str(part) for part in value]
            row, column = (self.context.integer((*path, i), part) for i, part in enumerate(parts))
            if row is None or column is None:
                return None
            cell = board.cell(row, column)
            if cell is None:
                return _NoPlace(
                    f"({row}, {column}) is outside the board",
                    f"the rows are 0 … {board.rows - 1}, and the columns 0 … {board.columns - 1}",
                )
            return {piece.id: {cell} for piece in classes}
        if key == "touches":
            if value not in _SIDES:
                self.context.unknown(path, "goal-form", "side", str(value), _SIDES)
                return None
            return {p.id: set(_touching(board, p.shape, p.cells, str(value))) for p in classes}
        cells = self.context.terrain(path, str(value))
        if cells is None:
            return None
        found: dict[int, set[int]] = {}
        for piece in classes:
            for anchor in fitting[piece.id]:
                under = frozenset(board.cover(piece.shape, anchor) or ())
                if (cells <= under) if key == "covers" else (under <= cells):
                    found.setdefault(piece.id, set()).add(anchor)
        if not cells or not found:
            what = "every cell of" if key == "covers" else "only cells of"
            return _NoPlace(f"no piece in this condition can cover {what} `{value}`")
        return found

    # -- a drawing ------------------------------------------------------------------------------------

    def _drawn(self, path: Path, raw: object) -> Condition | None:
        symbols = self._symbols(path, raw)
        if symbols is None:
            return None
        board = self.context.board
        assert board is not None
        reader = PieceReader(self.context, path, symbols, self.context.shapes, board)
        placed: list[tuple[tuple[int, ...], int]] = []
        reasons = self._missing_walls(symbols, board)
        for piece in reader.pieces():
            classes, reason = self._classes_of(piece, board)
            if piece.label is not None:
                self.context.warn_of_parts(path, piece.label)
            if reason is not None:
                reasons.append(reason)
            if classes:
                placed.append((classes, piece.anchor))
        reasons += self._excess_pieces(placed)
        results = [self._impossible(path, reason, code=code) for code, reason in reasons]
        if results:
            return results[0]
        empty = tuple(
            (row * board.columns + column, layer)
            for layer, shown in enumerate(by_layer(self.context, symbols))
            for row, line in enumerate(shown)
            for column, symbol in enumerate(line)
            if symbol.kind is None
            and not symbol.is_open
            and not symbol.is_wall
            and board.floor(row * board.columns + column)
        )
        return PiecesAsDrawn(tuple(placed), empty)

    def _symbols(self, path: Path, raw: object) -> list[list[Symbol]] | None:
        """The symbols of the cells in the drawing of a goal; None if a mistake was reported."""
        if not self._needs_board(path) or self.legend is None:
            return None
        board = self.context.board
        assert board is not None
        if not is_drawing(raw):
            self.context.error(
                path,
                "goal-form",
                "the value of `board` must be a drawing",
                expected="text, or rows of tokens",
            )
            return None
        assert isinstance(raw, (str, list))
        is_graph = board.geometry == GRAPH
        drawing = read_drawing(self.context, path, raw, is_padded=is_graph)
        if drawing is None:
            return None
        if (len(drawing.rows), drawing.columns) == (2 * board.rows + 1, 2 * board.columns + 1):
            drawing = drawing.without_lines() or drawing
        if (len(drawing.rows), drawing.columns) != (board.rows, board.columns):
            self.context.error(
                path,
                "goal-size",
                "this drawing differs from the board in size",
                expected=f"{counted(board.rows, 'rows')} of {board.columns}",
                found=f"{counted(len(drawing.rows), 'rows')} of {drawing.columns}",
            )
            return None
        return self.legend.read(path, drawing, raw, is_goal=True, has_gaps=is_graph)

    def _missing_walls(self, symbols: list[list[Symbol]], board: Board) -> list[_Reason]:
        """The reason why no position is as drawn, if the drawing has walls that the board does not have."""
        for row, line in enumerate(symbols):
            for column, symbol in enumerate(line):
                if symbol.is_wall and not symbol.is_open and board.floor(board.cell(row, column)):
                    reason = f"this drawing has a wall at ({row}, {column}), but the board has none there"
                    return [("goal-impossible", reason)]
        return []

    def _classes_of(
        self, piece: DrawnPiece, board: Board
    ) -> tuple[tuple[int, ...], _Reason | None]:
        """The possible classes of a drawn piece, and the reason if none of them fits at its place."""
        alike = [
            c
            for c in self.context.classes
            if c.kind == piece.kind and (piece.label is None or c.label == piece.label)
        ]
        classes = [c for c in alike if c.shape == piece.shape]
        name, where = piece.label or piece.kind, board.coordinates(piece.cell)
        cells = board.cover(piece.shape, piece.anchor) or (-1,)
        reason = None
        if not alike:
            message = f"this drawing contains `{name}` at {where}, but the board has none"
            reason = ("goal-impossible", message)
        elif not classes:
            message = f"`{name}` at {where} of this drawing has a different shape on the board"
            reason = ("goal-shape", message)
        elif not any(c.cells.issuperset(cells) for c in classes):
            reason = ("goal-impossible", f"`{name}` can never be at {where}")
        return tuple(c.id for c in classes), reason

    def _excess_pieces(self, placed: list[tuple[tuple[int, ...], int]]) -> list[_Reason]:
        """The reasons why no position is as drawn: more pieces of the same classes than the board has."""
        wanted: dict[tuple[int, ...], int] = {}
        for classes, _ in placed:
            wanted[classes] = wanted.get(classes, 0) + 1
        reasons: list[_Reason] = []
        for classes, number in wanted.items():
            counts = [self.context.class_count(c) for c in classes]
            if any(count is None for count in counts):
                continue
            total = sum(count for count in counts if count is not None)
            if number > total:
                piece = self.context.classes[classes[0]]
                name = piece.label or piece.kind
                reason = (
                    f"this drawing contains {number} of `{name}`, but the board has only {total}"
                )
                reasons.append(("goal-impossible", reason))
        return reasons


@lru_cache(maxsize=256)
def _fitting(board: Board, shape: Shape, allowed: frozenset[int]) -> frozenset[int]:
    """The anchors at which a shape covers only allowed cells."""
    return frozenset(
        anchor
        for anchor in range(board.num_cells)
        if (cells := board.cover(shape, anchor)) is not None and allowed.issuperset(cells)
    )


@lru_cache(maxsize=256)
def _touching(board: Board, shape: Shape, allowed: frozenset[int], side: str) -> frozenset[int]:
    """The allowed anchors at which the shape touches a side of the board."""
    axis, line = {
        "top": (0, 0),
        "bottom": (0, board.rows - 1),
        "left": (1, 0),
        "right": (1, board.columns - 1),
    }[side]
    return frozenset(
        anchor
        for anchor in _fitting(board, shape, allowed)
        if any(board.at(cell)[axis] == line for cell in board.cover(shape, anchor) or ())
    )


def goal_letters(raw: object) -> set[str]:
    """The words in a condition, outside expressions and drawings, that may be names of pieces."""
    if isinstance(raw, list):
        return set().union(*(goal_letters(part) for part in raw)) if raw else set()
    if not isinstance(raw, Mapping):
        return set()
    out: set[str] = set()
    is_quantified = "every" in raw or "some" in raw
    for key, value in raw.items():
        if key in ("all", "any"):
            out |= goal_letters(value)
        elif key in ("every", "some", "holds"):
            out.add(str(value))
        elif key == "count" and isinstance(value, Mapping):
            out |= set(value)
        elif key not in _OWN_KEYS and not (is_quantified and key in _PIECE_KEYS):
            out.add(key)
    return out


def is_drawing(raw: object) -> bool:
    """Whether a value is text or a list of rows of tokens."""
    return isinstance(raw, str) or (
        isinstance(raw, list)
        and all(isinstance(row, list) and all(isinstance(t, str) for t in row) for row in raw)
    )
