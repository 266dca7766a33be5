"""Searches that share no code with this program confirm minima of puzzles with walls and doors between cells."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.helpers.cells import ROOT
from tests.test_independent_searches import Cell, expected, fewest_moves
from tests.test_independent_searches_of_lines import cells

DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1))
Place = tuple[int, int, int]  # floor, row, column
Blocks = tuple[
    frozenset[Place], frozenset[frozenset[Place]]
]  # the block of the goal, and the other blocks
Robots = tuple[Cell, frozenset[Cell]]  # the robot of the goal, and the other robots


def drawing(path: Path) -> list[str]:
    """The drawing of the board of a puzzle file, including the rows and columns for thin walls."""
    lines = path.read_text(encoding="utf-8").split("board: |\n")[1].split("\n")
    return [line[2:] for line in lines[: next(i for i, x in enumerate(lines) if x[:2] != "  ")]]


def test_thin_walls() -> None:
    rows = drawing(ROOT / "puzzles" / "robots" / "ricochet-thin-walls.yaml")
    at = {x: (r, c) for r, row in enumerate(rows) for c, x in enumerate(row) if x.isalpha()}
    (target,) = ((r, c) for r, row in enumerate(rows) for c, x in enumerate(row) if x == "*")

    def run(robot: Cell, others: frozenset[Cell]) -> Iterable[Cell]:
        for down, right in DIRECTIONS:
            (r, c), end = robot, robot
            while (
                rows[r + down][c + right] not in "-|"
                and (r + 2 * down, c + 2 * right) not in others
            ):
                r, c = end = (r + 2 * down, c + 2 * right)
            if end != robot:
                yield end

    def moves(state: Robots) -> Iterable[Robots]:
        mine, others = state
        for end in run(mine, others):
            yield end, others
        for other in others:
            for end in run(other, others - {other} | {mine}):
                yield mine, others - {other} | {end}

    start = (at["R"], frozenset(at[x] for x in "BGY"))
    layer, seen, depth = {start}, {start}, 0
    while all(mine != target for mine, _ in layer):
        layer = {after for state in layer for after in moves(state)} - seen
        seen |= layer
        depth += 1
    assert depth == expected("ricochet-thin-walls", "moves")


def test_the_ice_palace() -> None:
    rows = drawing(ROOT / "puzzles" / "robots" / "ice-palace.yaml")
    portals = {"1": [(2, 5), (8, 7)], "2": [(3, 0), (5, 12)]}
    closed = {(0, 1): "|-<^", (0, -1): "|->", (1, 0): "|-^", (-1, 0): "|-v"}

    def beyond(cell: Cell, direction: Cell) -> Cell | None:
        line = (cell[0] + direction[0], cell[1] + direction[1])
        mark = rows[line[0]][line[1]]
        if mark in closed[direction]:
            return None
        if mark in portals:
            (line,) = (place for place in portals[mark] if place != line)
        cell = (line[0] + direction[0], line[1] + direction[1])
        return cell if 0 <= cell[0] < len(rows) and 0 <= cell[1] < len(rows[0]) else None

    def glide(cell: Cell) -> Iterable[Cell]:
        for direction in DIRECTIONS:
            here, seen = cell, {cell}
            while (there := beyond(here, direction)) is not None and there not in seen:
                seen.add(there)
                here = there
            if beyond(here, direction) is None:
                yield here

    found = fewest_moves((1, 1), glide, lambda cell: cell == (7, 1))
    assert found == (expected("ice-palace", "moves"), expected("ice-palace", "reachable"))


def test_pebbles_on_wilsons_graph() -> None:
    joined = {"a": "bf", "b": "acg", "c": "bd", "d": "ce", "e": "dfg", "f": "ea", "g": "be"}

    def move(nodes: str) -> Iterable[str]:
        gap = nodes.index("o")
        for name in joined["abcdefg"[gap]]:
            other = "abcdefg".index(name)
            moved = list(nodes)
            moved[gap], moved[other] = moved[other], "o"
            yield "".join(moved)

    found = fewest_moves("ABCDEFo", move, lambda nodes: nodes == "FEDCBAo")
    assert found == (expected("theta-pebbles", "moves"), expected("theta-pebbles", "reachable"))


def test_shunting() -> None:
    tracks = ["abcdef", "abcgh"]  # the maximal paths of a train

    def move(nodes: str) -> Iterable[str]:
        at = dict(zip("abcdefgh", nodes, strict=True))
        for track in (*tracks, *(track[::-1] for track in tracks)):
            row = "".join(at[node] for node in track)
            engine = row.find("L")
            if engine < 0:
                continue
            end = engine
            while end < len(row) and row[end] != "o":
                end += 1  # the row of wagons ahead of the engine, up to the first gap
            if end < len(row):
                yield placed(at, track, row[:engine] + "o" + row[engine:end] + row[end + 1 :])
            for last in range(engine + 1, len(row)):  # the engine pulls the wagons up to `last`
                if row[engine - 1 : engine] != "o" or row[last] == "o":
                    break
                train = row[engine : last + 1]
                yield placed(at, track, row[: engine - 1] + train + "o" + row[last + 1 :])

    def placed(at: dict[str, str], track: str, row: str) -> str:
        return "".join({**at, **dict(zip(track, row, strict=True))}.values())

    found = fewest_moves("oLoABooo", move, lambda nodes: nodes == "oLoBAooo")
    assert found == (expected("shunting", "moves"), expected("shunting", "reachable"))


def test_honeycomb() -> None:
    rows = ["##.DD", "#..D.", "ACCB.", "A.XB#", "AXX##"]
    inside = cells(rows, ".ABCDX")
    directions = [*DIRECTIONS, (-1, 1), (1, -1)]

    def slide(state: tuple[frozenset[Cell], ...]) -> Iterable[tuple[frozenset[Cell], ...]]:
        for number, bar in enumerate(state):
            rest = (*state[:number], *state[number + 1 :])
            for d, e in directions:
                there = frozenset((r + d, c + e) for r, c in bar)
                if there <= inside.difference(*rest):
                    yield (*state[:number], there, *state[number + 1 :])

    first = tuple(frozenset(cells(rows, x)) for x in "XABCD")
    found, reachable = fewest_moves(first, slide, lambda s: s[0] == {(1, 1), (2, 0), (2, 1)})
    assert found == expected("honeycomb", "steps")
    assert reachable == expected("honeycomb", "reachable")


def test_two_floors() -> None:
    rows = ["XBC", "X..", "..E", "XBC", "AAD", "A.D"]
    inside = {(z, y, x) for z in range(2) for y in range(3) for x in range(3)}
    directions = [(0, 0, 1), (0, 0, -1), (0, 1, 0), (0, -1, 0), (1, 0, 0), (-1, 0, 0)]

    def slide(state: Blocks) -> Iterable[Blocks]:
        for block in (state[0], *state[1]):
            free = inside.difference(state[0], *state[1]) | block
            for f, d, e in directions:
                there = frozenset((z + f, y + d, x + e) for z, y, x in block)
                if there <= free:
                    rest = state[1] - {block}
                    yield (there, rest) if block == state[0] else (state[0], rest | {there})

    first, *others = (
        frozenset((r // 3, r % 3, c) for r, c in cells(rows, letter)) for letter in "XABCDE"
    )
    goal = {(0, 1, 2), (0, 2, 2), (1, 1, 2)}
    found, reachable = fewest_moves(
        (first, frozenset(others)), slide, lambda state: state[0] == goal
    )
    assert found == expected("two-floors", "steps")
    assert reachable == expected("two-floors", "reachable")


def test_both_triangles_of_pegs() -> None:
    holes = {(r, c) for r in range(5) for c in range(r + 1)}
    directions = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1)]

    def jumps(pegs: frozenset[Cell], peg: Cell) -> Iterable[tuple[frozenset[Cell], Cell]]:
        for d, e in directions:
            over, there = (peg[0] + d, peg[1] + e), (peg[0] + 2 * d, peg[1] + 2 * e)
            if over in pegs and there in holes - pegs:
                yield pegs - {peg, over} | {there}, there

    def turn(pegs: frozenset[Cell]) -> Iterable[frozenset[Cell]]:
        for peg in pegs:
            waiting = [(pegs, peg)]
            while waiting:
                for after, there in jumps(*waiting.pop()):
                    yield after
                    waiting.append((after, there))

    first = frozenset(holes - {(0, 0)})
    turns, reachable = fewest_moves(first, turn, lambda pegs: len(pegs) == 1)
    single, _ = fewest_moves(
        first,
        lambda pegs: (s for p in pegs for s, _ in jumps(pegs, p)),
        lambda pegs: len(pegs) == 1,
    )
    for name in ("triangle-15", "triangle-15-left"):
        assert (turns, single) == (expected(name, "turns"), expected(name, "jumps"))
        assert reachable == expected(name, "reachable")
