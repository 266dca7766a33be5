"""The puzzle that a document defines, as far as all types of rule need it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.independent.boards.board import Board
from tests.independent.boards.edges import Cell
from tests.independent.boards.expressions import Scope, World
from tests.independent.boards.failures import Rejected, Unsupported
from tests.independent.boards.fits import Rule
from tests.independent.boards.kinds import Kind
from tests.independent.boards.legend import Legend
from tests.independent.boards.state import Piece, State
from tests.independent.boards.variables import Variables


class Game:
    """A puzzle."""

    def __init__(
        self,
        board: Board,
        kinds: dict[str, Kind],
        legend: Legend,
        constants: dict[str, Any],
        variables: Variables,
        moves: list[Rule],
        consequences: list[Rule],
        document: dict[str, Any],
        start: State,
    ) -> None:
        self.board, self.kinds, self.legend = board, kinds, legend
        self.constants, self.variables = constants, variables
        self.moves, self.consequences = moves, consequences
        self.document, self.start = document, start
        self.plain_scope = Scope({}, constants, World(), board.plane.geometry)
        self.world_of: Callable[[State], World] = lambda state: World()
        self.bases = {kind.base for kind in kinds.values()}
        self.letters = {letter for kind in kinds.values() for letter in kind.letters}
        self.patterns: dict[Any, Any] = {}  # the patterns that have been read
        self._matchers: dict[str, Callable[[Piece], bool]] = {}

    def scope(self, state: State, binding: dict[str, Any]) -> Scope:
        """The meaning of names in a position."""
        return Scope(binding, self.constants, self.world_of(state), self.board.plane.geometry)

    def is_piece_word(self, text: str) -> bool:
        """Whether the word names pieces: a kind, a letter or `any`."""
        return text == "any" or text in self.kinds or text in self.bases or text in self.letters

    def matcher(self, words: str) -> Callable[[Piece], bool]:
        """Whether a piece is one of those that words such as `A|B` name."""
        if words not in self._matchers:
            names = {each.strip() for each in str(words).split("|")}
            for name in names:
                if not self.is_piece_word(name):
                    raise Rejected(f"{name!r} names no pieces")
            if names & self.letters and names & self.letters & (set(self.kinds) | self.bases):
                raise Unsupported("a word that is both a kind and a letter")
            self._matchers[words] = lambda piece: bool(names & self.words(piece))
        return self._matchers[words]

    def words(self, piece: Piece) -> set[str]:
        """The words that name a piece."""
        kind = self.kinds[piece.kind]
        found = {"any", kind.name, kind.base}
        if piece.letter is not None:
            found.add(piece.letter)
        return found

    def corner(self, piece: Piece) -> Cell:
        """The top-left cell of the bounding box of a piece."""
        return self.board.corner(piece.cells, piece.shape)

    def may_enter(self, piece: Piece, cell: Cell) -> bool:
        """Whether a piece may be on a cell, whatever else is there."""
        if cell not in self.board.floor:
            return False
        words = self.words(piece)
        terrains = self.board.terrains.get(cell, frozenset())
        for name in terrains & set(self.board.guests):
            if not words & set(self.board.guests[name]):
                return False
        enters = self.kinds[piece.kind].enters
        return enters is None or any(self.board.is_on(cell, each) for each in enters)
