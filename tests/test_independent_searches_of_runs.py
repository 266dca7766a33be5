"""Other searches confirm minima of puzzles with running, pulling, rolling, belts and gates."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from tests.test_independent_searches import Cell, Crates, expected, fewest_moves
from tests.test_independent_searches_of_lines import DIRECTIONS, cells

Blocks = frozenset[tuple[Cell, str]]


def both(name: str) -> tuple[object, object]:
    """The published minimum of a shipped puzzle, and its number of positions."""
    return expected(name, "moves"), expected(name, "reachable")


def test_long_haul() -> None:
    rows = ["......", "BB@...", ".B....", "CC.#.A", ".C..AA"]
    inside = cells(rows, ".@ABC")

    def step(state: Blocks) -> Iterable[Blocks]:
        board = dict(state)
        (hauler,) = (place for place, x in board.items() if x == "@")
        for d, e in DIRECTIONS:
            ahead = (hauler[0] + d, hauler[1] + e)
            if ahead not in inside or ahead in board:
                continue
            rest = frozenset(pair for pair in state if pair[0] != hauler)
            yield rest | {(ahead, "@")}
            names, end = set[str](), (hauler[0] - d, hauler[1] - e)
            while end in board:  # the hauler pulls a row of crates of any length
                names.add(board[end])
                crates = {place for place, x in board.items() if x in names}
                there = {(r + d, c + e) for r, c in crates}
                if there <= inside and not there & ({*board, ahead} - crates - {hauler}):
                    left = {pair for pair in rest if pair[1] not in names}
                    pulled = {((r + d, c + e), board[r, c]) for r, c in crates}
                    if end not in there:
                        yield frozenset({*left, *pulled, (ahead, "@")})
                end = (end[0] - d, end[1] - e)

    first = frozenset(((r, c), rows[r][c]) for r, c in cells(rows, "@ABC"))
    found = fewest_moves(first, step, lambda s: {((0, 1), "A"), ((1, 0), "A")} <= s)
    assert found == both("long-haul")


def test_hungry_frog() -> None:
    rows = ["#o...", "...*.", "**#*#", "...*."]
    floor = cells(rows, ".o*")
    (first,) = cells(rows, "o")

    def go(state: Crates) -> Iterable[Crates]:
        (r, c), flies = state
        around = [((r + d, c + e), (r + 2 * d, c + 2 * e)) for d, e in DIRECTIONS]
        leaps = [
            (end, flies - {over})
            for over, end in around
            if over in flies and end in floor and end not in flies
        ]
        hops = [(there, flies) for there, _ in around if there in floor and there not in flies]
        yield from leaps or hops

    found = fewest_moves((first, frozenset(cells(rows, "*"))), go, lambda state: not state[1])
    assert found == both("hungry-frog")


def test_muddled_monsters() -> None:
    rows = ["R.r.b", "..#..", ".b...", "r.#.B"]
    inside = cells(rows, ".RBrb")
    eats = {"R": "r", "B": "b", "P": "rb"}

    def run(state: Blocks) -> Iterable[Blocks]:
        for (r, c), monster in state:
            for d, e in DIRECTIONS if monster in eats else ():
                board, at = dict(state), (r, c)
                ahead = (r + d, c + e)
                while (
                    ahead in inside
                    and board.get(ahead, "r" if "r" in eats[monster] else "b") in eats[monster]
                ):
                    del board[at]
                    board[ahead], at = monster, ahead
                    ahead = (at[0] + d, at[1] + e)
                merged = [(y, x) for (y, x), other in board.items() if other == "B"]
                for y, x in merged:
                    near = [p for v, w in DIRECTIONS if board.get(p := (y + v, x + w)) == "R"]
                    for red in near:
                        del board[red]
                        board[y, x] = "P"
                if at != (r, c):
                    yield frozenset(board.items())

    first = frozenset(((r, c), rows[r][c]) for r, c in cells(rows, "RBrb"))
    found = fewest_moves(first, run, lambda s: not {x for _, x in s} & {"r", "b"})
    assert found == both("muddled-monsters")


def test_rolling_block() -> None:
    rows = [".!U..#", "......", "..##..", "......", "##...#"]
    floor = cells(rows, ".!U")
    (first,), hole = cells(rows, "U"), cells(rows, "!")

    def roll(block: frozenset[Cell]) -> Iterable[frozenset[Cell]]:
        for d, e in DIRECTIONS:
            far = max(r * d + c * e for r, c in block)
            edge = [(r, c) for r, c in block if r * d + c * e == far]
            height = 2 if len(block) == 1 else 1  # the number of cells behind the edge
            if len(edge) == 1 and len(block) == 2:  # the block tips over its end and stands up
                new = {(edge[0][0] + d, edge[0][1] + e)}
            else:
                new = {(r + k * d, c + k * e) for r, c in edge for k in range(1, height + 1)}
            if new <= floor:
                yield frozenset(new)

    assert fewest_moves(frozenset({first}), roll, lambda block: block == hole) == both(
        "rolling-block"
    )


def test_conveyors() -> None:
    rows = ["..<!>.", "..>..#", ".@x.#.", "..v.#v", ".>.<.#"]
    floor, docks = cells(rows, ".<>v!@x"), cells(rows, "!")
    belts = {">": (0, 1), "<": (0, -1), "v": (1, 0)}
    direction = {(r, c): belts[rows[r][c]] for r, c in cells(rows, "<>v")}
    (man,), (box,) = cells(rows, "@"), cells(rows, "x")

    def carried(state: tuple[Cell, Cell]) -> tuple[Cell, Cell] | None:
        """The cells of the man and the box after the belts have moved both as far as possible. In each round, the upper
        one moves first; in the same row, the left one moves first.
        """
        seen = set[Hashable]()
        while state not in seen:
            seen.add(state)
            went = list(state)
            for place in sorted(floor):
                if place in went and place in direction:
                    there = (place[0] + direction[place][0], place[1] + direction[place][1])
                    if there in floor and there not in went:
                        went[went.index(place)] = there
            if tuple(went) == state:
                return state
            state = (went[0], went[1])
        return None

    def step(state: tuple[Cell, Cell]) -> Iterable[tuple[Cell, Cell]]:
        (r, c), box = state
        for d, e in DIRECTIONS:
            there, beyond = (r + d, c + e), (r + 2 * d, c + 2 * e)
            pushed = beyond if there == box else box
            if there in floor and pushed in floor:
                rest = carried((there, pushed))
                if rest is not None:
                    yield rest

    found = fewest_moves((man, box), step, lambda state: state[1] in docks)
    assert found == both("conveyors")


def test_doors_and_buttons() -> None:
    rows = ["@..#...", ".x.D..!", ".x.#...", "o.o#..."]
    floor, gates, buttons = cells(rows, ".@xoD!"), cells(rows, "D"), cells(rows, "o")
    (first,) = cells(rows, "@")

    def step(state: tuple[Cell, frozenset[Cell]]) -> Iterable[tuple[Cell, frozenset[Cell]]]:
        (r, c), boxes = state
        is_open = buttons <= boxes | {(r, c)}
        free = floor if is_open else floor - (gates - boxes - {(r, c)})
        for d, e in DIRECTIONS:
            there, beyond = (r + d, c + e), (r + 2 * d, c + 2 * e)
            if there in boxes and beyond in free - boxes:
                yield there, (boxes - {there}) | {beyond}
            elif there in free - boxes:
                yield there, boxes

    start = first, frozenset(cells(rows, "x"))
    assert fewest_moves(start, step, lambda s: s[0] == (1, 6)) == both("doors-and-buttons")
