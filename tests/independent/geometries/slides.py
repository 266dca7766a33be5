"""Plays slides, with pushed and sticky pieces."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from tests.independent.geometries.expressions import Expressions
from tests.independent.geometries.pieces import Document, Piece, State
from tests.independent.plain_yaml import UnsupportedError
from tests.independent.topology import Cell, SquareBoard


class Slides(Expressions):
    """The slides of a document."""

    def _rule_directions(self, rule: Document) -> list[Any]:
        assert self.board is not None
        source = rule.get("directions")
        if source is None:
            return list(self.board.default)
        words = source.split() if isinstance(source, str) else source
        return self.board.directions(words)

    def _piece_directions(self, piece: Piece) -> list[Any] | None:
        source = self.kinds[piece.kind].get("directions")
        if source is None:
            return None
        assert self.board is not None
        words = source.split() if isinstance(source, str) else source
        if "along" in words:
            if len(words) > 1 or not isinstance(self.board, SquareBoard):
                raise UnsupportedError("along with other directions")
            rows = {r for r, _ in piece.cells}
            columns = {c for _, c in piece.cells}
            if self.board.wraps_rows or self.board.wraps_columns:
                raise UnsupportedError("along with wrap")
            if len(rows) == len(columns):
                raise UnsupportedError("along without a longer side")
            words = ["vertical" if len(rows) > len(columns) else "horizontal"]
        return self.board.directions(words)

    def _kinds_of(self, text: str) -> list[str]:
        return [word.strip() for word in str(text).split("|")]

    def shifted(self, piece: Piece, direction: Any) -> list[tuple[Cell, ...]]:
        """The cells of a piece one step further."""
        assert self.board is not None
        each = [self.board.next(cell, direction) for cell in piece.cells]
        if isinstance(self.board, SquareBoard) and self.board.portals and len(each) > 1:
            raise UnsupportedError("a large piece and portals")
        found = []
        for cells in itertools.product(*each):
            if len(set(cells)) == len(cells) and self.board.can_lie(cells):
                found.append(tuple(sorted(cells)))
        return found

    def _slides(self, rule: Document, state: State) -> Iterator[tuple[Piece, ...]]:
        words = self._kinds_of(rule["slide"])
        ways = self._rule_directions(rule)
        if ways[0] == "side left" and {"carries", "sticky", "distance"} & set(rule):
            raise UnsupportedError("a slide that continues, without strips")
        for piece in state.pieces:
            if not any(self.matches(word, piece) for word in words):
                continue
            own = self._piece_directions(piece)
            for way in ways if own is None or "directions" in rule else own:
                if own is not None and way not in own:
                    continue
                if rule.get("distance") == "blocked":
                    yield from self._run(rule, state, piece, way)
                elif "carries" in rule or "sticky" in rule:
                    yield from self._carried(rule, state, piece, way)
                elif rule.get("distance", 1) == 1 and not {"over", "stopped-by"} & set(rule):
                    at = self.at(state)
                    for cells in self.shifted(piece, way):
                        if all(self._is_free(c, piece, at) for c in cells):
                            yield self._with(state, {piece: cells})
                else:
                    raise UnsupportedError("this distance")

    def _is_free(self, cell: Cell, piece: Piece, at: Mapping[Cell, Piece]) -> bool:
        if not self.is_floor(cell) or at.get(cell, piece) is not piece:
            return False
        return cell in piece.cells or self.may_enter(piece, cell)

    def _with(self, state: State, moved: Mapping[Piece, tuple[Cell, ...]]) -> tuple[Piece, ...]:
        """The pieces after some have moved; equal pieces cannot be on the same cells."""
        return tuple(p._replace(cells=moved[p]) if p in moved else p for p in state.pieces)

    def _run(
        self, rule: Document, state: State, piece: Piece, way: Any
    ) -> Iterator[tuple[Piece, ...]]:
        """A slide until something stops the piece."""
        if not self.board or not self.board.is_straight:
            raise UnsupportedError("distance: blocked on a graph")
        if isinstance(way, tuple) and way[0] == "leap":
            raise UnsupportedError("distance: blocked with an offset")
        if "carries" in rule or "sticky" in rule:
            raise UnsupportedError("distance: blocked with carries")
        at, here = self.at(state), piece
        over = rule.get("over")
        stopped_by = rule.get("stopped-by")
        steps = 0
        while True:
            if over is not None and steps > 0 and not all(self.is_on(c, over) for c in here.cells):
                break
            targets = self.shifted(here, way)
            if not targets:
                if stopped_by == "piece":
                    return
                break
            (cells,) = targets
            if not all(
                self._is_free(c, here, {k: v for k, v in at.items() if v is not piece})
                for c in cells
            ):
                obstacles = [c for c in cells if c in at and at[c] is not piece]
                others = [c for c in cells if not self.is_floor(c)]
                barred = [
                    c
                    for c in cells
                    if c not in obstacles and c not in others and not self.may_enter(here, c)
                ]
                if stopped_by is not None and (barred or (obstacles and others)):
                    raise UnsupportedError("several obstacles")
                if stopped_by == "piece" and not obstacles:
                    return
                if stopped_by == "wall" and not others:
                    return
                break
            here, steps = here._replace(cells=cells), steps + 1
            if steps > len(self.board.drawn):
                return  # nothing would ever stop the piece
        if over is not None and steps == 0:
            return
        if steps and here.cells != piece.cells:
            yield self._with(state, {piece: here.cells})

    def _carried(
        self, rule: Document, state: State, piece: Piece, way: Any
    ) -> Iterator[tuple[Piece, ...]]:
        """A slide that takes other pieces along."""
        if not self.board or not self.board.is_straight:
            raise UnsupportedError("carries on a graph")
        if isinstance(way, tuple) and way[0] == "leap":
            raise UnsupportedError("carries with an offset")
        carries = self._kinds_of(rule["carries"]) if "carries" in rule else []
        sticky = self._kinds_of(rule["sticky"]) if "sticky" in rule else []
        at = self.at(state)
        moving: dict[Piece, tuple[Cell, ...]] = {}
        stack = [piece]
        while stack:
            each = stack.pop()
            if each in moving:
                continue
            targets = self.shifted(each, way)
            if not targets or not all(
                self.is_floor(c) and (c in each.cells or self.may_enter(each, c))
                for c in targets[0]
            ):
                return
            moving[each] = targets[0]
            for cell in targets[0]:
                other = at.get(cell)
                if other is not None and other not in moving and other is not each:
                    if not any(self.matches(word, other) for word in carries):
                        return
                    stack.append(other)
            for cell in each.cells if sticky else ():
                for near in self._beside(cell):
                    other = at.get(near)
                    if other is None or other in moving:
                        continue
                    is_own = sticky == ["own"] and other.kind == each.kind
                    if is_own or any(self.matches(word, other) for word in sticky):
                        stack.append(other)
        if "most" in rule and len(moving) - 1 > int(rule["most"]):
            return
        taken = [cell for cells in moving.values() for cell in cells]
        if len(set(taken)) == len(taken):
            yield self._with(state, moving)

    def _beside(self, cell: Cell) -> list[Cell]:
        if isinstance(self.board, SquareBoard) and (self.board.has_lines or self.board.levels > 1):
            raise UnsupportedError("sticky with lines or levels")
        assert self.board is not None
        return list(self.board.around(cell))
