"""Plays patterns: lines, rectangles and stretches."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.independent.geometries.pieces import Document, Piece, State
from tests.independent.geometries.slides import Slides
from tests.independent.plain_yaml import UnsupportedError
from tests.independent.topology import Cell, GraphBoard, SquareBoard

Element = tuple[str, tuple[int, int] | None]  # a word, and its place in a stretch


class Patterns(Slides):
    """The patterns of a document."""

    def _patterns(self, rule: Document, state: State) -> Iterator[tuple[Piece, ...]]:
        before, after = rule["before"], rule["after"]
        if any(isinstance(each, list) for each in before):
            yield from self._rectangles(rule, state)
            return
        assert self.board is not None
        if rule.get("distance", 1) != 1 or rule.get("whole") or rule.get("rotations"):
            raise UnsupportedError("distance, whole or rotations")
        stretches = [i for i, x in enumerate(before) if str(x).endswith("...")]
        others = [i for i, x in enumerate(after) if str(x).endswith("...")]
        most = len(self.board.drawn)
        if (
            len(before) > 2
            and not stretches
            and "directions" not in rule
            and self.board.default[0] == "side left"
        ):
            raise UnsupportedError("a line without directions on triangles")
        if stretches and "directions" not in rule and self.board.default[0] == "side left":
            raise UnsupportedError("a line without directions on triangles")
        at = self.at(state)
        for way in self._rule_directions(rule):
            for lengths in itertools.product(range(most + 1), repeat=len(stretches)):
                old = _stretched(before, dict(zip(stretches, lengths, strict=True)))
                new = _stretched(after, dict(zip(others, lengths, strict=True)))
                if len(old) > most + 2:
                    continue
                for line in self._lines([text for text, _ in old], way, at):
                    found = self._replaced(old, new, line, state, at)
                    if found is not None:
                        yield found

    def _rectangles(self, rule: Document, state: State) -> Iterator[tuple[Piece, ...]]:
        """The changes of a rectangle in every orientation."""
        board = self.board
        if not isinstance(board, SquareBoard) or board.has_lines or board.levels > 1:
            raise UnsupportedError("a rectangle on this board")
        if {"directions", "distance", "whole"} & set(rule) or "..." in str(rule["before"]):
            raise UnsupportedError("a rectangle with directions, distance, whole or a stretch")
        places = [(r, c) for r, row in enumerate(rule["before"]) for c in range(len(row))]
        old: list[Element] = [(str(x), None) for row in rule["before"] for x in row]
        new: list[Element] = [(str(x), None) for row in rule["after"] for x in row]
        turn = {
            "square": lambda r, c: (c, -r),
            "hex-right": lambda r, c: (r + c, -r),
            "hex-left": lambda r, c: (c, c - r),
        }[board.geometry]
        at, known = self.at(state), set()
        times = 1 if not rule.get("rotations") else 4 if board.geometry == "square" else 6
        for _ in range(times):
            for down, right in itertools.product(
                range(-board.height, 2 * board.height), range(-board.width, 2 * board.width)
            ):
                line = [board.on_board(down + r, right + c) for r, c in places]
                if tuple(line) in known or not any(line):
                    continue
                known.add(tuple(line))
                here = [cell for cell in line if cell is not None]
                if len(set(here)) < len(here):
                    raise UnsupportedError("a rectangle that meets itself")
                if all(self._fits(x, cell, at) for (x, _), cell in zip(old, line, strict=True)):
                    found = self._replaced(old, new, line, state, at)
                    if found is not None:
                        yield found
            places = [turn(r, c) for r, c in places]

    def _lines(
        self, words: Sequence[str], way: Any, at: Mapping[Cell, Piece]
    ) -> Iterator[tuple[Cell | None, ...]]:
        """The lines of cells that match; None is a place outside the board, where every cell counts as a wall."""
        assert self.board is not None
        for first in range(len(words)):
            if first and not all(self._fits(word, None, at) for word in words[:first]):
                return
            for cell in self.board.drawn:
                if first:
                    if isinstance(self.board, GraphBoard):
                        continue
                    if any(cell in self.board.next(other, way) for other in self.board.drawn):
                        continue
                prefix: tuple[Cell | None, ...] = (None,) * first
                yield from self._continued((*prefix, cell), words, way, at)

    def _continued(
        self,
        line: tuple[Cell | None, ...],
        words: Sequence[str],
        way: Any,
        at: Mapping[Cell, Piece],
    ) -> Iterator[tuple[Cell | None, ...]]:
        if not self._fits(words[len(line) - 1], line[-1], at):
            return
        if len(line) == len(words):
            yield line
            return
        assert self.board is not None
        following: list[Cell | None] = []
        if line[-1] is not None:
            following = list(self.board.next(line[-1], way))
        if not following and not isinstance(self.board, GraphBoard):
            following = [None]
        for cell in following:
            if cell is not None and cell in line:
                if isinstance(self.board, GraphBoard):
                    continue
                raise UnsupportedError("a line that meets itself")
            yield from self._continued((*line, cell), words, way, at)

    def _fits(self, element: str, cell: Cell | None, at: Mapping[Cell, Piece]) -> bool:
        word, sign, terrain = _parts(element)
        if sign and (
            cell is None
            or not self.is_floor(cell)
            or self.is_on(cell, terrain) is not (sign == "on")
        ):
            return False
        negated = word.startswith("not ")
        names = self._kinds_of(word.removeprefix("not "))
        return any(self._is(name, cell, at) for name in names) is not negated

    def _is(self, name: str, cell: Cell | None, at: Mapping[Cell, Piece]) -> bool:
        is_floor = cell is not None and self.is_floor(cell)
        piece = at.get(cell) if cell is not None else None
        match name:
            case "_":
                return True
            case "empty":
                return is_floor and piece is None
            case "wall":
                return not is_floor
            case "ground":
                return is_floor
        if not self.is_piece_word(name):
            raise UnsupportedError(f"the word {name}")
        return self.matches(name, piece)

    def _replaced(
        self,
        old: Sequence[Element],
        new: Sequence[Element],
        line: Sequence[Cell | None],
        state: State,
        at: Mapping[Cell, Piece],
    ) -> tuple[Piece, ...] | None:
        before = [(_parts(x)[0], place) for x, place in old]
        after = [(_parts(x)[0], place) for x, place in new]
        size = range(len(before))
        same = {i for i in size if before[i] == after[i] or after[i][0] == "_"}
        moved: dict[Piece, tuple[Cell, ...] | None] = {}
        created: list[Piece] = []
        filled: set[int] = set()
        for element in dict.fromkeys(after):
            word = element[0]
            targets = [i for i in size if after[i] == element and i not in same]
            if word == "empty" or not targets:
                continue
            if not all(self.is_piece_word(each) for each in self._kinds_of(word)):
                raise UnsupportedError(f"{word} in a new place")
            sources = [i for i in size if before[i] == element and i not in same]
            staying = [i for i in size if before[i] == element and i in same]
            if len(sources) < len(targets):
                if sources or staying or word not in self.kinds:
                    raise UnsupportedError(f"more {word} after than before")
                for target in targets:
                    place = line[target]
                    if place is None or not self.is_floor(place):
                        return None
                    created.append(self._piece(word, "", [place]))
                    filled.add(target)
                continue
            for source, target in zip(sources, targets, strict=False):
                here, there = line[source], line[target]
                if here is None or there is None or not self.is_floor(there):
                    return None
                moved[at[here]] = (there,)
                filled.add(target)
        for i in size:  # captures
            here = line[i]
            piece = at.get(here) if here is not None else None
            if i not in same and piece is not None and piece not in moved:
                moved[piece] = None
        if any(len(piece.cells) > 1 for piece in moved):
            return None
        result = []
        for piece in state.pieces:
            if piece not in moved:
                result.append(piece)
                continue
            cells = moved[piece]
            if cells is not None:
                if not self.may_enter(piece, cells[0]):
                    return None
                result.append(piece._replace(cells=cells))
        for piece in created:
            if not self.may_enter(piece, piece.cells[0]):
                return None
            result.append(piece)
        return tuple(result)


def _parts(element: str) -> tuple[str, str, str]:
    """The word, `on` or `off`, and the terrain of an element."""
    text = str(element)
    if "&" in text:
        raise UnsupportedError("layers")
    match = re.fullmatch(r"(.*?) (on|off) (.*)", text)
    if match:
        return match[1].strip(), match[2], match[3].strip()
    return text.strip(), "", ""


def _stretched(words: Sequence[Any], lengths: Mapping[int, int]) -> list[Element]:
    """The elements of a line with stretches of these lengths.

    A place of a stretch of one list corresponds to the same place in the other list: a stretch moves as a whole.
    """
    found: list[Element] = []
    for i, word in enumerate(words):
        text = str(word).removesuffix("...")
        number = list(lengths).index(i) if i in lengths else -1
        found += (
            [(text, (number, k)) for k in range(lengths[i])] if i in lengths else [(text, None)]
        )
    return found
