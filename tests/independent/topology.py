"""The cells of a board, and which cell is next in a direction: every geometry of `docs/language.md`.

This module is written from that page alone, and shares no code with `fewest`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tests.independent.folding import GROUPS, STEPS
from tests.independent.plain_yaml import UnsupportedError

Cell = tuple[int, int]
Direction = Any  # a word, a kind of edges of a graph, or an offset
ORTHOGONAL = ("up", "down", "left", "right")
HEX = {
    "hex-right": ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)),
    "hex-left": ((-1, -1), (-1, 0), (0, -1), (0, 1), (1, 0), (1, 1)),
}
KNIGHT = [(r, c) for r in (-2, -1, 1, 2) for c in (-2, -1, 1, 2) if abs(r) != abs(c)]
STRIPS = ("left", "right", "down-right", "up-left", "down-left", "up-right")
LEAP = "leap"


def leap(offset: Sequence[int]) -> Direction:
    return (LEAP, int(offset[0]), int(offset[1]))


class Topology(ABC):
    """A board. A subclass gives the next cells in a direction."""

    default: Sequence[Direction]
    is_straight = True  # a direction leads from a cell to at most one cell

    def __init__(self, rows: Sequence[Sequence[str]]) -> None:
        self.height = len(rows)
        self.width = max(map(len, rows), default=0)
        self.drawn = {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row)}

    def __contains__(self, cell: Cell) -> bool:
        return cell in self.drawn

    @abstractmethod
    def next(self, cell: Cell, direction: Direction) -> list[Cell]:
        """The cells that are next to a cell in a direction."""

    @abstractmethod
    def directions(self, words: Iterable[Any]) -> list[Direction]:
        """The directions that the words of a rule mean."""

    def around(self, cell: Cell) -> Iterator[Cell]:
        """The cells that share a side with a cell."""
        for direction in self.default:
            yield from self.next(cell, direction)

    def lines_of_sight(self) -> Sequence[Direction]:
        return ORTHOGONAL

    def can_lie(self, cells: Iterable[Cell]) -> bool:
        """Whether no wall between cells divides a piece."""
        return True


class SquareBoard(Topology):
    """Squares or hexagons: an offset for each direction, with wrap, levels and lines between cells."""

    def __init__(self, rows: Sequence[Sequence[str]], document: Mapping[str, Any]) -> None:
        super().__init__(rows)
        self.geometry = document.get("geometry", "square")
        if self.geometry not in ("square", *HEX):
            raise UnsupportedError(f"the geometry {self.geometry}")
        wrap = document.get("wrap")
        self.wraps_rows, self.wraps_columns = wrap in ("rows", "both"), wrap in ("columns", "both")
        self.levels = document.get("levels", 1)
        self.level_height = self.height // self.levels
        if self.levels > 1 and (wrap or self.geometry != "square"):
            raise UnsupportedError("levels with wrap or hexagons")
        self.default = [*ORTHOGONAL, "above", "below"] if self.levels > 1 else list(ORTHOGONAL)
        self.blocked: set[tuple[Cell, Cell]] = set()
        self.portals: dict[tuple[Cell, str], Cell] = {}
        edges = document.get("edges")
        if isinstance(edges, Mapping):
            self._read_edges(edges)
        self.has_lines = bool(self.blocked or self.portals)
        self.is_one_way = any((b, a) not in self.blocked for a, b in self.blocked)
        if self.has_lines and self.levels > 1:
            raise UnsupportedError("levels with lines between cells")

    def _read_edges(self, edges: Mapping[str, Any]) -> None:
        for pair in edges.get("walls") or []:
            a, b = (tuple(map(int, cell)) for cell in pair)
            self.blocked |= {(a, b), (b, a)}  # type: ignore[arg-type]
        for pair in edges.get("one-way") or []:
            a, b = (tuple(map(int, cell)) for cell in pair)
            self.blocked.add((b, a))  # type: ignore[arg-type]
        for portal in edges.get("portals") or []:
            leaving, entering = tuple(portal["leaving"]), tuple(portal["entering"])
            self.portals[leaving, portal["by"]] = entering
            if portal.get("both", True):
                opposite = {"up": "down", "down": "up", "left": "right", "right": "left"}
                self.portals[entering, opposite[portal["by"]]] = leaving

    def directions(self, words: Iterable[Any]) -> list[Direction]:
        found: list[Direction] = []
        for word in words:
            if not isinstance(word, str):
                found.append(leap(word))
            elif word in GROUPS:
                found += GROUPS[word]
            elif word == "knight":
                found += [leap(offset) for offset in KNIGHT]
            elif word in ("hex", "hex-right", "hex-left"):
                name = self.geometry if word == "hex" else word
                if name not in HEX or name != self.geometry:
                    raise UnsupportedError("six directions without their geometry")
                found += [("hex", *offset) for offset in HEX[name]]
            elif word in STEPS or (word in ("above", "below") and self.levels > 1):
                found.append(word)
            else:
                raise UnsupportedError(f"the direction {word}")
        if self.geometry in HEX and any(isinstance(each, str) for each in found):
            # in the drawing, the four directions are offsets, and so are two of the diagonals
            named = {("hex", *STEPS[each]) for each in found if isinstance(each, str)}
            if any(each[1:] not in HEX[self.geometry] for each in named):
                raise UnsupportedError("a diagonal on a hexagonal board")
            found = [("hex", *STEPS[d]) if isinstance(d, str) else d for d in found]
        return list(dict.fromkeys(found))

    def on_board(self, row: int, column: int) -> Cell | None:
        """The cell at a row and a column, which `wrap` may connect with the opposite side."""
        there = (
            row % self.height if self.wraps_columns else row,
            column % self.width if self.wraps_rows else column,
        )
        return there if there in self.drawn else None

    def _moved(self, cell: Cell, r: int, c: int) -> Cell | None:
        row, column = cell[0] + r, cell[1] + c
        if self.wraps_rows:
            column %= self.width
        if self.wraps_columns:
            row %= self.height
        if self.levels > 1 and row // self.level_height != cell[0] // self.level_height:
            return None
        there = row, column
        return there if there in self.drawn else None

    def next(self, cell: Cell, direction: Direction) -> list[Cell]:
        if direction in ("above", "below"):
            row = cell[0] + (self.level_height if direction == "below" else -self.level_height)
            return [(row, cell[1])] if (row, cell[1]) in self.drawn else []
        if isinstance(direction, tuple):
            there = self._moved(cell, *direction[1:])
            if direction[0] == "hex" and (cell, there) in self.blocked:
                return []
            if direction[0] == "hex" and self.portals:
                raise UnsupportedError("portals on a hexagonal board")
            return [there] if there else []
        if (cell, direction) in self.portals:
            there = self.portals[cell, direction]
            return [there] if there in self.drawn else []  # outside the board, there is a wall
        beyond = self._moved(cell, *STEPS[direction])
        if beyond is None or (cell, beyond) in self.blocked:
            return []
        if "-" in direction and self.has_lines:
            if self.portals:
                raise UnsupportedError("portals and diagonals")
            vertical, horizontal = direction.split("-")
            ways = ((vertical, horizontal), (horizontal, vertical))
            if not any(self._is_open(cell, first, second) for first, second in ways):
                return []
        return [beyond]

    def _is_open(self, cell: Cell, first: str, second: str) -> bool:
        return any(self.next(middle, second) for middle in self.next(cell, first))

    def around(self, cell: Cell) -> Iterator[Cell]:
        if self.geometry in HEX:
            words = [("hex", *offset) for offset in HEX[self.geometry]]
            for direction in words:
                yield from self.next(cell, direction)
        else:
            yield from super().around(cell)

    def lines_of_sight(self) -> Sequence[Direction]:
        if self.geometry in HEX or self.levels > 1 or self.has_lines:
            raise UnsupportedError("sees on this board")
        return ORTHOGONAL

    def can_lie(self, cells: Iterable[Cell]) -> bool:
        covered = set(cells)
        if len(covered) == 1:
            return True
        if self.portals or self.is_one_way:
            raise UnsupportedError("a large piece with portals or one-way lines")
        return not any(a in covered and b in covered for a, b in self.blocked)


class TriangleBoard(Topology):
    """Triangles that alternately point up and down."""

    default = ("side left", "side right", "side across")

    def __init__(self, rows: Sequence[Sequence[str]], document: Mapping[str, Any]) -> None:
        super().__init__(rows)
        if document.get("wrap"):
            raise UnsupportedError("wrap on triangles")
        self.first_is_up = document["geometry"] == "triangle-up"

    def points_up(self, cell: Cell) -> bool:
        return ((cell[0] + cell[1]) % 2 == 0) is self.first_is_up

    def directions(self, words: Iterable[Any]) -> list[Direction]:
        found: list[Direction] = []
        for word in words:
            if word == "strips":
                found += STRIPS
            elif word in STRIPS or word in self.default:
                found.append(word)
            elif word == "horizontal":
                found += ("left", "right")
            else:
                raise UnsupportedError(f"the direction {word} on triangles")
        return list(dict.fromkeys(found))

    def next(self, cell: Cell, direction: Direction) -> list[Cell]:
        r, c = cell
        across = (r + 1, c) if self.points_up(cell) else (r - 1, c)
        left, right = (r, c - 1), (r, c + 1)
        match direction:
            case "left" | "side left":
                there = left
            case "right" | "side right":
                there = right
            case "side across":
                there = across
            case "down-right":
                there = across if self.points_up(cell) else right
            case "down-left":
                there = across if self.points_up(cell) else left
            case "up-right":
                there = right if self.points_up(cell) else across
            case "up-left":
                there = left if self.points_up(cell) else across
            case _:
                raise UnsupportedError(f"the direction {direction} on triangles")
        return [there] if there in self.drawn else []

    def lines_of_sight(self) -> Sequence[Direction]:
        return STRIPS


class GraphBoard(Topology):
    """Nodes, and edges of one or more kinds."""

    is_straight = False

    def __init__(self, rows: Sequence[Sequence[str]], document: Mapping[str, Any]) -> None:
        super().__init__(rows)
        graph = document["graph"]
        self.nodes: dict[str, Cell] = {
            str(name): (place[0], place[1]) for name, place in graph["nodes"].items()
        }
        places = set(self.nodes.values())
        self.drawn = {cell: x for cell, x in self.drawn.items() if cell in places}
        if set(self.drawn) != places:
            raise UnsupportedError("a node that is not drawn")
        edges = graph["edges"]
        kinds = edges if isinstance(edges, Mapping) else {"edges": edges}
        self.default = list(kinds)
        self.edges: dict[str, dict[Cell, list[Cell]]] = {}
        for kind, pairs in kinds.items():
            leads: dict[Cell, list[Cell]] = {}
            for text in pairs:
                is_directed = ">" in text
                a, b = (self.nodes[x] for x in text.replace(">", " ").split())
                leads.setdefault(a, []).append(b)
                if not is_directed:
                    leads.setdefault(b, []).append(a)
            self.edges[kind] = leads

    def directions(self, words: Iterable[Any]) -> list[Direction]:
        found = list(words)
        if any(word not in self.edges for word in found):
            raise UnsupportedError(f"the directions {found} on a graph")
        return found

    def next(self, cell: Cell, direction: Direction) -> list[Cell]:
        return list(dict.fromkeys(self.edges[direction].get(cell, [])))

    def lines_of_sight(self) -> Sequence[Direction]:
        raise UnsupportedError("sees on a graph")


def with_lines(text: str) -> tuple[list[list[str]], dict[str, Any]]:
    """The cells of a drawing with lines between them, and these lines as lists."""
    lines = text.removesuffix("\n").split("\n")
    width = max(map(len, lines))
    lines = [line.ljust(width) for line in lines]
    rows = [list(line[1::2]) for line in lines[1::2]]
    height, columns = len(rows), len(rows[0])
    walls, one_way, marked = [], [], {}  # type: ignore[var-annotated]
    for r in range(height + 1):
        for c in range(columns):
            _read_line(lines[2 * r][2 * c + 1], (r - 1, c), (r, c), "down", walls, one_way, marked)
    for r in range(height):
        for c in range(columns + 1):
            _read_line(lines[2 * r + 1][2 * c], (r, c - 1), (r, c), "right", walls, one_way, marked)
    portals = []
    for mark, places in marked.items():
        if len(places) != 2 or places[0][2] != places[1][2]:
            raise UnsupportedError(f"the portal {mark}")
        for (before, _, way), (_, after, _) in (places, places[::-1]):
            back = {"down": "up", "right": "left"}[way]
            portals.append({"leaving": before, "by": way, "entering": after, "both": False})
            portals.append({"leaving": after, "by": back, "entering": before, "both": False})
    portals = [p for p in portals if _is_inside(p["leaving"], height, columns)]
    return rows, {"walls": walls, "one-way": one_way, "portals": portals}


def _is_inside(cell: Cell, height: int, width: int) -> bool:
    return 0 <= cell[0] < height and 0 <= cell[1] < width


def _read_line(
    mark: str,
    before: Cell,
    after: Cell,
    way: str,
    walls: list[Any],
    one_way: list[Any],
    marked: dict[str, list[Any]],
) -> None:
    if mark in "|-":
        walls.append([before, after])
    elif mark in (">" if way == "right" else "v"):
        one_way.append([before, after])
    elif mark in ("<" if way == "right" else "^"):
        one_way.append([after, before])
    elif mark != " ":
        if not (mark.isalnum() and mark != "v"):
            raise UnsupportedError(f"the line {mark}")
        marked.setdefault(mark, []).append((before, after, way))


def topology(document: Mapping[str, Any]) -> Topology | None:
    """The board of an expanded document; None if it has none."""
    board = document.get("board")
    if board is None:
        return None
    if document.get("edges") == "drawn":
        if document.get("wrap") or "graph" in document:
            raise UnsupportedError("drawn lines with wrap or a graph")
        rows, edges = with_lines(board)
        return SquareBoard(rows, {**document, "edges": edges})
    rows = (
        board
        if isinstance(board, list)
        else [list(x) for x in board.removesuffix("\n").split("\n")]
    )
    if "graph" in document:
        return GraphBoard(rows, document)
    if document.get("geometry", "").startswith("triangle"):
        return TriangleBoard(rows, document)
    return SquareBoard(rows, document)
