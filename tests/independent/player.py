"""Plays puzzles breadth-first on boards of every geometry, and puzzles without a board.

The player is written from `docs/language.md` alone, and shares no code with `fewest`. It takes documents that the
expander has expanded, and raises `UnsupportedError` for every construct that it does not cover.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tests.independent.expander import letters
from tests.independent.folding import equals, normal, parsed
from tests.independent.plain_yaml import UnsupportedError
from tests.independent.topology import Cell, GraphBoard, SquareBoard, Topology, topology

Document = dict[str, Any]
Element = tuple[str, tuple[int, int] | None]  # a word, and its place in a stretch
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


class Game:
    """The start, the moves and the goal of an expanded document."""

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

    # -- moves ------------------------------------------------------------------------------------------

    def successors(self, state: State) -> set[State]:
        found: set[State] = set()
        for rule in self.rules.values():
            for after in self.applied(rule, state):
                if after != state and not self.forbidden(after):
                    found.add(after)
        return found

    def applied(self, rule: Document, state: State) -> Iterator[State]:
        if "when" in rule and not self.true(rule["when"], state):
            return
        kinds = {
            "slide": self._slides,
            "before": self._patterns,
            "cycle": self._cycles,
            "cycles": self._cycles,
            "pivot": self._pivots,
        }
        known = {"when", "set"}
        handler: Callable[[Document, State], Iterator[tuple[Piece, ...]]] | None = None
        for key, each in kinds.items():
            if key in rule:
                handler = each
                known |= _KEYS[key]
        if set(rule) - known:
            raise UnsupportedError(f"the keys {sorted(set(rule) - known)}")
        values: tuple[Any, ...] | None = None
        boards = [state.pieces] if handler is None else handler(rule, state)
        for pieces in boards:
            if values is None:
                values = self._assigned(rule, state)
            yield self.canonical(pieces, values)

    def fits(self, name: str, state: State) -> bool:
        if name not in self.rules:
            raise UnsupportedError(f"the rule {name}")
        return any(True for _ in self.applied({**self.rules[name], "set": {}}, state))

    def _assigned(self, rule: Document, state: State) -> tuple[Any, ...]:
        values = list(state.values)
        for name, text in (rule.get("set") or {}).items():
            if name not in self.index:
                raise UnsupportedError(f"the target {name}")
            i = self.index[name]
            value = normal(self.value(text, state))
            if value not in self.domains[i]:
                raise UnsupportedError(f"{name} is set to {value}")
            values[i] = value
        return tuple(values)

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

    def _cycles(self, rule: Document, state: State) -> Iterator[tuple[Piece, ...]]:
        rings = rule["cycles"] if "cycles" in rule else [rule["cycle"]]
        steps = int(rule.get("steps", 1))
        at = self.at(state)
        ways = rule.get("directions", "forward backward")
        for way in ways.split() if isinstance(ways, str) else ways:
            if way not in ("forward", "backward"):
                raise UnsupportedError(f"the direction {way} of a ring")
            goes: dict[Cell, Cell] = {}
            for ring in rings:
                cells = [self._place(cell) for cell in ring]
                if any(not self.is_floor(cell) for cell in cells):
                    raise UnsupportedError("a wall on a ring")
                for i, cell in enumerate(cells):
                    if cell in goes:
                        raise UnsupportedError("rings that share a cell")
                    shift = steps if way == "forward" else -steps
                    goes[cell] = cells[(i + shift) % len(cells)]
            moved: dict[Piece, tuple[Cell, ...]] = {}
            for cell, there in goes.items():
                piece = at.get(cell)
                if piece is None:
                    continue
                if len(piece.cells) > 1 or not (cell == there or self.may_enter(piece, there)):
                    break
                moved[piece] = (there,)
            else:
                yield self._with(state, moved)

    def _pivots(self, rule: Document, state: State) -> Iterator[tuple[Piece, ...]]:
        board = self.board
        if not isinstance(board, SquareBoard) or board.geometry != "square" or board.has_lines:
            raise UnsupportedError("pivot on this board")
        if board.wraps_rows or board.wraps_columns or board.levels > 1:
            raise UnsupportedError("pivot with wrap or levels")
        at = self.at(state)
        about = rule.get("about", "own")
        ways = rule.get("directions", "clockwise counterclockwise")
        for piece in state.pieces:
            if not any(self.matches(word, piece) for word in self._kinds_of(rule["pivot"])):
                continue
            if about == "own":
                centres = list(piece.cells)
            elif isinstance(about, str):
                centres = [c for c in piece.cells if self.is_on(c, about)]
            else:
                centres = [self._place(cell) for cell in about]
            for centre, way in itertools.product(
                centres, ways.split() if isinstance(ways, str) else ways
            ):
                paths = [
                    _quarter(cell, centre, clockwise=way == "clockwise") for cell in piece.cells
                ]
                swept = [p[-1:] if rule.get("swept") == "any" else p for p in paths]
                after = tuple(sorted(path[-1] for path in paths))
                is_free = all(self._is_free(c, piece, at) for path in swept for c in path)
                if is_free and after != piece.cells:
                    yield self._with(state, {piece: after})

    # -- conditions -------------------------------------------------------------------------------------

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

    # -- expressions ------------------------------------------------------------------------------------

    def true(self, text: Any, state: State) -> bool:
        return bool(normal(self.value(text, state)))

    def value(self, text: Any, state: State) -> Any:
        key = str(text)
        node = self._parsed.get(key)
        if node is None:
            node = self._parsed[key] = parsed(key)
        try:
            return self._evaluated(node, state)
        except NoValueError as error:
            raise UnsupportedError(f"no value: {error}") from error

    def _evaluated(self, node: ast.expr, state: State) -> Any:
        def of(each: ast.expr) -> Any:
            return normal(self._evaluated(each, state))

        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                if name in self.index:
                    return state.values[self.index[name]]
                return name
            case ast.List(elts=elts):
                return [of(each) for each in elts]
            case ast.BoolOp(op=op, values=values):
                result: Any = 0
                for each in values:
                    result = of(each)
                    if bool(result) is isinstance(op, ast.Or):
                        return result
                return result
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not of(operand)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -of(operand)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return of(operand)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return of(body) if of(test) else of(orelse)
            case ast.BinOp(left=left, op=op2, right=right):
                a, b = of(left), of(right)
                if not (isinstance(a, int) and isinstance(b, int)):
                    raise UnsupportedError("arithmetic with words")
                if isinstance(op2, (ast.FloorDiv, ast.Mod)) and b == 0:
                    raise NoValueError("division by zero")
                return {
                    ast.Add: lambda: a + b,
                    ast.Sub: lambda: a - b,
                    ast.Mult: lambda: a * b,
                    ast.FloorDiv: lambda: a // b,
                    ast.Mod: lambda: a % b,
                    ast.Pow: lambda: a**b,
                }[type(op2)]()
            case ast.Compare(left=left, ops=[op3], comparators=[right]):
                return self._compared(left, op3, right, state)
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._called(name, args, state)
        raise UnsupportedError(f"the expression {ast.unparse(node)}")

    def _compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr, state: State) -> bool:
        a, b = (normal(self._evaluated(each, state)) for each in (left, right))
        contents = (frozenset, _Content)
        if isinstance(op, (ast.Eq, ast.NotEq)):
            if isinstance(a, contents) and isinstance(b, contents):
                raise UnsupportedError("a comparison of two cells")
            if isinstance(b, contents):
                a, b = b, a
            same = b in a if isinstance(a, contents) else equals(a, b)
            return same is isinstance(op, ast.Eq)
        if not (isinstance(a, int) and isinstance(b, int)):
            raise UnsupportedError("an order of words")
        match op:
            case ast.Lt():
                return a < b
            case ast.LtE():
                return a <= b
            case ast.Gt():
                return a > b
            case ast.GtE():
                return a >= b
        raise UnsupportedError("this comparison")

    def _called(self, name: str, args: Sequence[ast.expr], state: State) -> Any:
        if name in ("all", "any", "min", "max", "abs", "sum"):
            values = [normal(self._evaluated(each, state)) for each in args]
            if len(values) == 1 and isinstance(values[0], list):
                values = values[0]
            return (
                {"all": all, "any": any, "min": min, "max": max, "sum": sum}[name](values)
                if name != "abs"
                else abs(values[0])
            )
        match name:
            case "can":
                return self.fits(_text(args[0]), state)
            case "count":
                pieces = [p for p in state.pieces if self.matches(self._word(args[0]), p)]
                if len(args) == 2:
                    text = _terrain_text(args[1])
                    if any(len(p.cells) > 1 for p in pieces):
                        raise UnsupportedError("count of large pieces on a terrain")
                    pieces = [p for p in pieces if self.is_on(p.cells[0], text)]
                return len(pieces)
            case "cell" | "terrain":
                where = tuple(normal(self._evaluated(each, state)) for each in args)
                if len(where) == 3 and where[2] != 0:
                    raise UnsupportedError("layers")
                return self._cell(name, where[:2], state)
            case "row" | "col":
                pieces = self._meant(_text(args[0]), state)
                if len(pieces) > 1:
                    raise UnsupportedError("several pieces")
                return self._corner(pieces[0])[name == "col"] if pieces else -1
            case "sees":
                return self._sees(self._word(args[0]), self._word(args[1]), state)
        raise UnsupportedError(f"the function {name}")

    def _word(self, node: ast.expr) -> str:
        word = _text(node)
        if not self.is_piece_word(word):
            raise UnsupportedError(f"the piece {word}")
        return word

    def _cell(self, name: str, where: tuple[Any, ...], state: State) -> Any:
        if self.board is None or not all(isinstance(x, int) for x in where):
            raise UnsupportedError("a cell without a board")
        cell = where[0], where[1]
        if not self.is_floor(cell):
            return _Content({"wall"})
        if name == "terrain":
            return _Content(self.terrain_of(cell) or {"floor"})
        piece = self.at(state).get(cell)
        if piece is None:
            return _Content({"empty"})
        return _Content(normal(word) for word in (piece.kind, piece.label) if word)

    def _sees(self, a: str, b: str, state: State) -> bool:
        assert self.board is not None
        at = self.at(state)
        for piece in state.pieces:
            if not self.matches(a, piece):
                continue
            for cell, way in itertools.product(piece.cells, self.board.lines_of_sight()):
                here, seen = cell, {cell}
                while True:
                    following = self.board.next(here, way)
                    if not following or following[0] in seen or following[0] in self.walls:
                        break
                    here = following[0]
                    seen.add(here)
                    other = at.get(here)
                    if other is None or other is piece:
                        continue
                    if self.matches(b, other):
                        return True
                    break
        return False


class _Content(frozenset[Any]):
    """The words that describe a cell: `==` is true for each of them."""

    __slots__ = ()


_KEYS = {
    "slide": {"slide", "directions", "distance", "over", "stopped-by", "carries", "sticky", "most"},
    "before": {"before", "after", "directions", "distance", "whole", "rotations"},
    "cycle": {"cycle", "steps", "directions"},
    "cycles": {"cycles", "steps", "directions"},
    "pivot": {"pivot", "about", "directions", "swept"},
}


def _text(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Constant(value=value):
            return str(value)
    raise UnsupportedError(f"the word {ast.unparse(node)}")


def _terrain_text(node: ast.expr) -> str:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return f"not {_terrain_text(node.operand)}"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return f"{_terrain_text(node.left)}|{_terrain_text(node.right)}"
    return _text(node)


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


def _quarter(cell: Cell, centre: Cell, *, clockwise: bool) -> list[Cell]:
    """The path of a cell along the square around a centre, through the corners of the square."""
    r, c = cell[0] - centre[0], cell[1] - centre[1]
    size = max(abs(r), abs(c))
    path = [cell]
    for _ in range(2 * size):
        if clockwise:
            if r == -size and c < size:
                c += 1
            elif c == size and r < size:
                r += 1
            elif r == size and c > -size:
                c -= 1
            else:
                r -= 1
        elif r == -size and c > -size:
            c -= 1
        elif c == -size and r < size:
            r += 1
        elif r == size and c < size:
            c += 1
        else:
            r -= 1
        path.append((centre[0] + r, centre[1] + c))
    return path


class Played(NamedTuple):
    minimum: int | None
    positions: int
    goals: int


class TooManyError(Exception):
    """There are too many positions for this slow player."""


def play(document: Document, most: int = 5000) -> Played:
    """The minimum in moves, and the numbers of reachable positions and goal positions."""
    game = Game(document)
    layer, seen = [game.start], {game.start}
    depth, minimum, goals = 0, None, 0
    while layer:
        found = sum(game.is_goal(state) for state in layer)
        goals += found
        if found and minimum is None:
            minimum = depth
        following = []
        for state in layer:
            for after in game.successors(state):
                if after not in seen:
                    seen.add(after)
                    following.append(after)
            if len(seen) > most:
                raise TooManyError
        layer, depth = following, depth + 1
    return Played(minimum, len(seen), goals)
