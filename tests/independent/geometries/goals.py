"""Decides goals and `forbid`."""

from __future__ import annotations

from typing import Any

from tests.independent.geometries.pieces import Document, Piece, State
from tests.independent.geometries.turns import Turns
from tests.independent.plain_yaml import UnsupportedError
from tests.independent.topology import Cell, SquareBoard


class Goals(Turns):
    """The conditions of a document."""

    def forbidden(self, state: State) -> bool:
        return "forbid" in self.document and self.holds(self.document["forbid"], state)

    def is_goal(self, state: State) -> bool:
        return self.holds(self.document["goal"], state)

    def holds(self, goal: Any, state: State) -> bool:
        if isinstance(goal, str):
            return self.true(goal, state)
        if isinstance(goal, list):
            return any(self.holds(each, state) for each in goal)
        keys = dict(goal)
        result = True
        for quantifier in ("every", "some"):
            if quantifier in keys:
                word = keys.pop(quantifier)
                rest = {
                    k: keys.pop(k) for k in ("holds", "on", "at", "touches", "covers") if k in keys
                }
                result = result and self._quantified(quantifier, word, rest, state)
        for key, value in keys.items():
            result = result and self._part(key, value, state)
        return result

    def _part(self, key: str, value: Any, state: State) -> bool:
        match key:
            case "all":
                return all(self.holds(each, state) for each in value)
            case "any":
                return any(self.holds(each, state) for each in value)
            case "count":
                return all(
                    sum(self.matches(kind, p) for p in state.pieces) == int(n)
                    for kind, n in value.items()
                )
            case "board":
                return self._drawn(value, state)
        return any(self._is_placed(p, value, state) for p in self._meant(key, state))

    def _meant(self, key: str, state: State) -> list[Piece]:
        if not self.is_piece_word(key):
            meaning = self.legend.get(key, "").partition(" on ")[0].strip()
            if meaning not in self.kinds:
                raise UnsupportedError(f"the goal for {key}")
            key = meaning
        elif key in self.letter_kind and (key in self.kinds or key in self.legend):
            raise UnsupportedError(f"{key} is a letter and a kind")
        return [p for p in state.pieces if self.matches(key, p)]

    def _quantified(self, quantifier: str, word: str, rest: Document, state: State) -> bool:
        if "holds" in rest:
            if len(rest) > 1 or quantifier == "some":
                raise UnsupportedError(f"{quantifier} with {sorted(rest)}")
            at = self.at(state)
            assert self.board is not None
            cells = [c for c in self.board.drawn if self.is_on(c, word)]
            return all(self.matches(str(rest["holds"]), at.get(cell)) for cell in cells)
        pieces = self._meant(word, state)
        return (all if quantifier == "every" else any)(
            self._is_placed(p, rest, state) for p in pieces
        )

    def _corner(self, piece: Piece) -> Cell:
        """The top-left cell of the bounding box."""
        board = self.board
        is_torus = isinstance(board, SquareBoard) and (board.wraps_rows or board.wraps_columns)
        if len(piece.cells) > 1 and is_torus:
            raise UnsupportedError("the place of a large piece on a torus")
        height = (
            board.level_height if isinstance(board, SquareBoard) else board.height if board else 1
        )
        if len({r // height for r, _ in piece.cells}) > 1:
            raise UnsupportedError("the place of a piece on two levels")
        return min(r for r, _ in piece.cells), min(c for _, c in piece.cells)

    def _is_placed(self, piece: Piece, place: Document, state: State) -> bool:
        if len(place) != 1:
            raise UnsupportedError(f"the placement {place}")
        ((key, value),) = place.items()
        match key:
            case "at":
                return self._corner(piece) == self._place(value)
            case "on":
                return all(self.is_on(c, value) for c in piece.cells)
            case "covers":
                assert self.board is not None
                return all(c in piece.cells for c in self.board.drawn if self.is_on(c, value))
            case "touches":
                board = self.board
                if (
                    not isinstance(board, SquareBoard)
                    or board.levels > 1
                    or board.geometry != "square"
                ):
                    raise UnsupportedError("touches on this board")
                if board.wraps_rows or board.wraps_columns:
                    raise UnsupportedError("touches on a torus")
                return {
                    "left": any(c == 0 for _, c in piece.cells),
                    "right": any(c == board.width - 1 for _, c in piece.cells),
                    "top": any(r == 0 for r, _ in piece.cells),
                    "bottom": any(r == board.height - 1 for r, _ in piece.cells),
                }[value]
        raise UnsupportedError(f"the placement {key}")

    def _drawn(self, value: Any, state: State) -> bool:
        """Whether the pieces are placed as drawn."""
        assert self.board is not None
        rows = value if isinstance(value, list) else value.removesuffix("\n").split("\n")
        at, covered = self.at(state), set()
        groups: dict[str, list[Cell]] = {}
        if len(rows) != self.board.height or "edges" in self.document:
            raise UnsupportedError("a goal drawing with lines")
        for r, row in enumerate(rows):
            for c, token in enumerate(row):
                if (r, c) not in self.board or token == "?":
                    if token == "?":
                        covered.add((r, c))
                    continue
                if token in self.letter_kind and token not in self.legend:
                    groups.setdefault(token, []).append((r, c))
                    continue
                if token not in self.legend:
                    raise UnsupportedError(f"the token {token} of a goal drawing")
                meaning = self.legend[token].partition(" on ")[0].strip()
                piece = at.get((r, c))
                if meaning in self.kinds:
                    if piece is None or piece.kind != meaning:
                        return False
                elif piece is not None:
                    return False
        for token, cells in groups.items():
            kind = self.letter_kind[token]
            whole = self.kinds[kind].get("parts") == "together"
            for group in [cells] if whole else self._connected(cells):
                piece = at.get(group[0])
                if piece is None or piece.label != token or piece.cells != tuple(sorted(group)):
                    return False
        return True
