"""Reads the board, the pieces and the start of an expanded document."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tests.independent.folding import normal
from tests.independent.models import letters
from tests.independent.plain_yaml import UnsupportedError
from tests.independent.topology import Cell, GraphBoard, SquareBoard, Topology, topology

Document = dict[str, Any]
WORDS = ("any", "empty", "wall", "ground", "_")


class Piece(NamedTuple):
    """A piece; `label` distinguishes it from other pieces of its kind and shape."""

    kind: str
    letter: str
    label: str
    cells: tuple[Cell, ...]


class State(NamedTuple):
    pieces: tuple[Piece, ...]
    values: tuple[Any, ...]


class NoValueError(Exception):
    """An expression has no value."""


class Pieces:
    """The board, the pieces and the start of an expanded document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        if "then" in document:
            raise UnsupportedError("then")
        self.board: Topology | None = topology(document)
        self.kinds: dict[str, Document] = {
            k: v or {} for k, v in (document.get("pieces") or {}).items()
        }
        if any(keys.get("layer", 0) != 0 for keys in self.kinds.values()):
            raise UnsupportedError("layers")
        self.legend: dict[str, str] = document.get("legend") or {}
        self.terrains: dict[str, set[Cell]] = {
            name: set() for name in document.get("terrain") or {}
        }
        self.walls: set[Cell] = set()
        self.names = list(document.get("variables") or {})
        if any("[" in name for name in self.names):
            raise UnsupportedError("an indexed variable")
        self.domains = [
            [normal(v) for v in keys["values"]]
            for keys in (document.get("variables") or {}).values()
        ]
        self.rules: dict[str, Document] = document.get("moves") or {}
        self.letter_kind: dict[str, str] = {}
        for kind, keys in self.kinds.items():
            for letter in letters(keys["letters"]) if "letters" in keys else []:
                if letter in self.letter_kind:
                    raise UnsupportedError("two kinds share a letter")
                self.letter_kind[letter] = kind
        self.named = self._named_letters()
        pieces = self._read_board() if self.board else []
        for name, keys in (document.get("terrain") or {}).items():
            for cell in keys.get("cells", []) if isinstance(keys, dict) else []:
                self.terrains[name].add(self._place(cell))
        self.enters = {kind: keys.get("enters") for kind, keys in self.kinds.items()}
        self.terrain_enters = {
            name: keys.get("enters") if isinstance(keys, dict) else keys
            for name, keys in (document.get("terrain") or {}).items()
        }
        values = tuple(
            normal(keys["initial"]) for keys in (document.get("variables") or {}).values()
        )
        self.start = self.canonical(pieces, values)
        self.index = {name: i for i, name in enumerate(self.names)}
        self.turns_pieces = any("pivot" in rule for rule in self.rules.values())
        self._parsed: dict[str, ast.expr] = {}

    # -- reading ----------------------------------------------------------------------------------------

    def _named_letters(self) -> set[str]:
        """The letters that the goal or a rule names."""
        parts = [self.document.get(key) for key in ("goal", "forbid", "moves", "terrain")]
        found: set[str] = set()

        def visit(part: Any, key: str) -> None:
            if isinstance(part, Mapping):
                for k, value in part.items():
                    visit(str(k), "key")
                    visit(value, str(k))
            elif isinstance(part, (list, tuple)):
                for each in part:
                    visit(each, key)
            elif isinstance(part, str):
                tokens = set(part) if key == "board" else set(re.findall(r"\w+", part))
                found.update(tokens & set(self.letter_kind))

        visit([p for p in parts if p is not None], "")
        return found

    def _place(self, cell: Any) -> Cell:
        if isinstance(cell, str):
            if not isinstance(self.board, GraphBoard):
                raise UnsupportedError(f"the cell {cell}")
            return self.board.nodes[cell]
        return int(cell[0]), int(cell[1])

    def _read_board(self) -> list[Piece]:
        assert self.board is not None
        lettered: dict[str, list[Cell]] = {}
        shaped: dict[str, list[Cell]] = {}
        pieces: list[Piece] = []
        for cell, token in self.board.drawn.items():
            if token not in self.legend:
                if token not in self.letter_kind:
                    raise UnsupportedError(f"the token {token}")
                lettered.setdefault(token, []).append(cell)
                continue
            meaning = self.legend[token]
            if "&" in meaning:
                raise UnsupportedError("layers")
            head, _, terrain = (part.strip() for part in meaning.partition(" on "))
            if terrain:
                self.terrains[terrain].add(cell)
            if head == "wall":
                self.walls.add(cell)
            elif head in self.terrains and head in self.kinds:
                raise UnsupportedError("a name of a kind and a terrain")
            elif head in self.terrains:
                self.terrains[head].add(cell)
            elif head in self.letter_kind:
                lettered.setdefault(head, []).append(cell)
            elif head in self.kinds:
                if "shape" in self.kinds[head]:
                    shaped.setdefault(head, []).append(cell)
                elif "letters" in self.kinds[head]:
                    raise UnsupportedError("a legend entry for a kind with letters")
                else:
                    pieces.append(self._piece(head, "", [cell]))
            elif head != "floor":
                raise UnsupportedError(f"the legend entry {meaning}")
        if shaped:
            raise UnsupportedError("pieces with a shape")
        for letter, cells in lettered.items():
            kind = self.letter_kind[letter]
            whole = self.kinds[kind].get("parts") == "together"
            groups = [cells] if whole else self._connected(cells)
            pieces += [self._piece(kind, letter, group) for group in groups]
        if isinstance(self.board, SquareBoard) and not all(
            self.board.can_lie(p.cells) for p in pieces
        ):
            raise UnsupportedError("a piece across a wall")
        for i, piece in enumerate(pieces):
            if self.kinds[piece.kind].get("interchangeable") is False:
                pieces[i] = piece._replace(label=f"{piece.letter} {i}")
        return pieces

    def _piece(self, kind: str, letter: str, cells: Sequence[Cell]) -> Piece:
        named = letter if letter in self.named else ""
        return Piece(kind, letter, named, tuple(sorted(cells)))

    def _connected(self, cells: Sequence[Cell]) -> list[list[Cell]]:
        assert self.board is not None
        groups, rest = [], set(cells)
        single = isinstance(self.board, SquareBoard) is False
        while rest:
            group, stack = [], [min(rest)]
            rest.discard(stack[0])
            while stack:
                cell = stack.pop()
                group.append(cell)
                if single:
                    continue
                near = [] if single else self._touching(cell)
                for other in near:
                    if other in rest:
                        rest.discard(other)
                        stack.append(other)
            groups.append(group)
        return groups

    def _touching(self, cell: Cell) -> Iterator[Cell]:
        """The cells across the sides of a cell, also on the next levels."""
        assert isinstance(self.board, SquareBoard)
        if self.board.has_lines or self.board.levels > 1:
            raise_if = list(self.board.around(cell))
            if self.board.portals:
                raise UnsupportedError("letters with portals")
            yield from raise_if
            return
        yield from self.board.around(cell)

    def canonical(self, pieces: Iterable[Piece], values: tuple[Any, ...]) -> State:
        """A state does not distinguish interchangeable pieces: their letters do not matter."""
        plain = (p if p.label or self._keeps_letter() else p._replace(letter="") for p in pieces)
        return State(tuple(sorted(plain)), values)

    def _keeps_letter(self) -> bool:
        return False

    # -- the board of a state ---------------------------------------------------------------------------

    def at(self, state: State) -> dict[Cell, Piece]:
        return {cell: piece for piece in state.pieces for cell in piece.cells}

    def is_floor(self, cell: Cell) -> bool:
        return self.board is not None and cell in self.board and cell not in self.walls

    def terrain_of(self, cell: Cell) -> set[str]:
        return {name for name, cells in self.terrains.items() if cell in cells}

    def is_on(self, cell: Cell, text: str) -> bool:
        """Whether a floor cell belongs to a terrain expression."""
        if not self.is_floor(cell):
            return False
        text = text.strip()
        negated = text.startswith("not ")
        names = [name.strip() for name in text.removeprefix("not ").split("|")]
        here = self.terrain_of(cell)
        for name in names:
            if name != "floor" and name not in self.terrains:
                raise UnsupportedError(f"the terrain {name}")
        found = any(name in here or (name == "floor" and not here) for name in names)
        return found is not negated

    def may_enter(self, piece: Piece, cell: Cell) -> bool:
        allowed = self.enters[piece.kind]
        if allowed is not None:
            texts = allowed if isinstance(allowed, list) else [str(allowed)]
            if not any(self.is_on(cell, text) for text in texts):
                return False
        for name in self.terrain_of(cell):
            given = self.terrain_enters[name]
            if given is None:
                continue
            allowed_names = (
                given if isinstance(given, list) else [x.strip() for x in str(given).split("|")]
            )
            if (
                piece.kind not in allowed_names
                and piece.label not in allowed_names
                and "any" not in allowed_names
            ):
                return False
        return True

    def is_piece_word(self, word: str) -> bool:
        return word == "any" or word in self.kinds or word in self.letter_kind

    def matches(self, word: str, piece: Piece | None) -> bool:
        if piece is None:
            return False
        return word in ("any", piece.kind) or (word == piece.label and word in self.letter_kind)
