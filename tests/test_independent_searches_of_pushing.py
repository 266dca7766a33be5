"""Searches of a dozen lines each confirm minima of puzzles in which a move changes many pieces."""

from __future__ import annotations

from collections.abc import Iterable

from tests.test_independent_searches import Cell, expected, fewest_moves
from tests.test_independent_searches_of_lines import DIRECTIONS, cells

Blocks = frozenset[tuple[Cell, str]]


def test_odd_crates() -> None:
    rows = ["......", ".BBA..", ".B.AA.", "..CC..", "@....."]
    inside = cells(rows, ".@ABC")

    def push(state: Blocks) -> Iterable[Blocks]:
        board = dict(state)
        (porter,) = (place for place, x in state if x == "@")
        for d, e in DIRECTIONS:
            ahead = board.get((porter[0] + d, porter[1] + e))
            moving = [(p, x) for p, x in state if x == "@" or x == ahead]
            went = [((r + d, c + e), x) for (r, c), x in moving]
            if all(p in inside and board.get(p, x) in ("@", ahead) for p, x in went):
                yield state.difference(moving).union(went)

    first = frozenset(((r, c), rows[r][c]) for r, c in cells(rows, "@ABC"))
    found, _ = fewest_moves(first, push, lambda s: ((0, 0), "A") in s and ((1, 1), "A") in s)
    assert found == expected("odd-crates", "moves")


def test_sticky_blocks() -> None:
    rows = ["#s..s#", "#....@", ".#..t.", "..#.t.", "....st"]
    floor, targets = cells(rows, ".st@"), cells(rows, "t")
    (first,) = cells(rows, "@")

    def walk(state: tuple[Cell, frozenset[Cell]]) -> Iterable[tuple[Cell, frozenset[Cell]]]:
        here, blocks = state
        for d, e in DIRECTIONS:
            moving, waiting = set[Cell](), [here]
            while waiting:  # blocks stick to neighbours that move
                r, c = waiting.pop()
                if (r, c) not in moving:
                    moving.add((r, c))
                    waiting += [(r + y, c + x) for y, x in DIRECTIONS if (r + y, c + x) in blocks]
            if all((r + d, c + e) in floor for r, c in moving):
                stuck = frozenset((r + d, c + e) for r, c in moving - {here})
                yield (here[0] + d, here[1] + e), (blocks - moving) | stuck

    found, _ = fewest_moves((first, frozenset(cells(rows, "s"))), walk, lambda s: s[1] == targets)
    assert found == expected("sticky-blocks", "moves")


def test_three_alike() -> None:
    rows = ["..a.a", "..##b", "..bab"]
    inside = cells(rows, ".ab")

    def fall_all(board: dict[Cell, str]) -> Blocks:
        while True:
            falling = [(r, c) for r, c in board if (r + 1, c) in inside - board.keys()]
            for r, c in falling[:1]:
                board[r + 1, c] = board.pop((r, c))
            threes = [
                [(r + d * i, c + e * i) for i in range(3)]
                for r, c in board
                for d, e in ((0, 1), (1, 0))
            ]
            lines = [line for line in threes if len({board.get(place) for place in line}) == 1]
            if not falling and not lines:
                return frozenset(board.items())
            if not falling:
                board = {p: x for p, x in board.items() if all(p not in line for line in lines)}

    def push(state: Blocks) -> Iterable[Blocks]:
        for (r, c), x in state:
            for e in (-1, 1):
                board = dict(state)
                if (r, c + e) in inside - board.keys():
                    del board[r, c]
                    yield fall_all({**board, (r, c + e): x})

    first = frozenset(((r, c), rows[r][c]) for r, c in cells(rows, "ab"))
    found = fewest_moves(first, push, lambda state: not state)
    assert found == (expected("three-alike", "moves"), expected("three-alike", "reachable"))


def test_landslide() -> None:
    rows = ["......A...", "B.....##..", "##......C.", "........#D", "..E......#", "..##...F.."]
    rows += [".......##.", "..........", "...#......", ".........."]
    inside = cells(rows, ".ABCDEF")

    def fall(stones: set[Cell], r: int, c: int) -> Cell:
        """The cell where a stone from the given empty cell comes to rest."""
        while (r + 1, c) in inside and (r + 1, c) not in stones:
            r += 1
        return r, c

    def push(state: tuple[Cell, frozenset[Cell]]) -> Iterable[tuple[Cell, frozenset[Cell]]]:
        great, others = state
        for r, c in (great, *others):
            for e in (-1, 1):
                if (r, c + e) not in inside or (r, c + e) == great or (r, c + e) in others:
                    continue
                left = {great, *others} - {(r, c)}
                went = {(r, c): fall(left, r, c + e)}
                left.add(went[r, c])
                for above in range(r - 1, -1, -1):  # the stones that stood on it also fall
                    if (above, c) not in left:
                        break
                    left.remove((above, c))
                    went[above, c] = fall(left, above, c)
                    left.add(went[above, c])
                yield went.get(great, great), frozenset(went.get(p, p) for p in others)

    (first,) = cells(rows, "A")
    start = first, frozenset(cells(rows, "BCDEF"))
    found, _ = fewest_moves(start, push, lambda state: state[0] == (7, 9))
    assert found == expected("landslide", "moves")


def test_mirror_twins() -> None:
    rows = ["..##.....", "@#...#!..", ".#....##.", ".#..#..#.", "&...#.##.", "...#.#.#!"]
    floor, homes = cells(rows, ".@&!"), cells(rows, "!")
    (one,), (other,) = cells(rows, "@"), cells(rows, "&")

    def step(state: tuple[Cell, Cell]) -> Iterable[tuple[Cell, Cell]]:
        (r, c), mirrored = state
        y, x = mirrored
        for d, e in DIRECTIONS:
            there = (r + d, c + e)
            first = there if there in floor and there != mirrored else (r, c)
            there = (y + d, x - e)
            yield first, there if there in floor and there != first else mirrored

    found = fewest_moves((one, other), step, lambda state: {*state} == homes)
    assert found == (expected("mirror-twins", "moves"), expected("mirror-twins", "reachable"))


def test_tilt_maze() -> None:
    rows = ["!!.#o...", "!.##....", "#..o#...", ".#.....#"]
    rows += ["...#..o.", "......#.", "..#...#.", "..#....."]
    floor, hollows = cells(rows, ".o!"), cells(rows, "!")

    def tilt(state: frozenset[Cell]) -> Iterable[frozenset[Cell]]:
        for d, e in DIRECTIONS:
            lying = set[Cell]()
            for r, c in sorted(state, key=lambda place: -place[0] * d - place[1] * e):
                while (r + d, c + e) in floor - lying:
                    r, c = r + d, c + e
                lying.add((r, c))
            yield frozenset(lying)

    found = fewest_moves(frozenset(cells(rows, "o")), tilt, lambda state: state == hollows)
    assert found == (expected("tilt-maze", "moves"), expected("tilt-maze", "reachable"))


def test_wildfire() -> None:
    rows = ["@t.ttf", "##t...", "!..t.."]
    inside, (cabin,) = cells(rows, ".@!tf"), cells(rows, "!")

    def act(state: Blocks) -> Iterable[Blocks]:
        board = dict(state)
        (r, c) = next(place for place, x in board.items() if x == "@")
        for d, e in DIRECTIONS:
            there = (r + d, c + e)
            after = dict(board)
            if board.get(there) == "t":
                del after[there]
            elif there in inside - board.keys():
                del after[r, c]
                after[there] = "@"
            else:
                continue
            fire = {p for p, x in after.items() if x == "f"}
            beside = {(y + d, x + e) for y, x in fire for d, e in DIRECTIONS}
            burns = {p: "f" for p in beside if after.get(p) == "t"}
            yield frozenset({**after, **burns}.items())

    first = frozenset(((r, c), rows[r][c]) for r, c in cells(rows, "@tf"))
    found, _ = fewest_moves(first, act, lambda state: (cabin, "@") in state)
    assert found == expected("wildfire", "moves")


def test_movers() -> None:
    rows = [".....#", ".#....", ".LLL##", "BB.S..", ".##SS."]
    ends = ["...SS#", ".#.S..", "LLL.##", "BB....", ".##..."]
    floor = cells(rows, ".LSB")

    def swung(place: Cell, about: Cell, direction: int) -> list[Cell]:
        """The cells of a quarter turn along the square around a cell."""
        y, x = place[0] - about[0], direction * (place[1] - about[1])
        radius, out = max(abs(y), abs(x)), [place]
        for _ in range(2 * radius):
            if abs(y) == radius and -y * x < radius**2 and (y < 0 or x > -radius):
                x += 1 if y < 0 else -1
            else:
                y += 1 if x > 0 else -1
            out.append((about[0] + y, about[1] + direction * x))
        return out

    def move(state: tuple[frozenset[Cell], ...]) -> Iterable[tuple[frozenset[Cell], ...]]:
        for number, piece in enumerate(state):
            rest = (*state[:number], *state[number + 1 :])
            free = floor.difference(*rest)
            straight = [[[(r + d, c + e)] for r, c in piece] for d, e in DIRECTIONS]
            turned = [
                [swung(p, about, direction) for p in piece]
                for about in piece
                for direction in (1, -1)
            ]
            for paths in [*straight, *turned]:
                if all(free.issuperset(path) for path in paths):
                    there = frozenset(path[-1] for path in paths)
                    yield (*state[:number], there, *state[number + 1 :])

    first, last = (tuple(frozenset(cells(each, x)) for x in "LSB") for each in (rows, ends))
    found, reachable = fewest_moves(first, move, lambda state: state == last)
    assert found == expected("movers", "steps")
    assert reachable == expected("movers", "reachable")
