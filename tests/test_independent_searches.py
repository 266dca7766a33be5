"""Searches that share no code with this program confirm minima without a published source.

Each search states the rules of one shipped puzzle in about a dozen lines, and then searches breadth-first.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

import fewest

S = TypeVar("S", bound=Hashable)
Cell = tuple[int, int]
Crates = tuple[Cell, frozenset[Cell]]  # the walker, and the crates


def fewest_moves(
    first: S, moves: Callable[[S], Iterable[S]], is_goal: Callable[[S], bool]
) -> tuple[int | None, int]:
    """The minimum number of moves to a goal, and the number of reachable states."""
    layer, seen, depth, found = [first], {first}, 0, None
    while layer:
        if found is None and any(map(is_goal, layer)):
            found = depth
        following = []
        for state in layer:
            for successor in moves(state):
                if successor not in seen:
                    seen.add(successor)
                    following.append(successor)
        layer, depth = following, depth + 1
    return found, len(seen)


def expected(name: str, key: str) -> object:
    puzzle = fewest.load(name).puzzle
    return next(known.value for known in puzzle.expectations if known.key == key)


def crossing_time(paces: list[int]) -> int:
    """The minimum time to cross the bridge, by the formula that G. Rote proved (2002)."""
    one, *others = sorted(paces)
    if len(others) < 3:
        return [one, *others, one + sum(others)][[0, 1, 3][len(others)]]
    two, *_, before_last, last = others
    pair = min(2 * one + before_last + last, one + 2 * two + last)
    return pair + crossing_time([one, *others[:-2]])


def test_bridge_and_torch() -> None:
    assert expected("bridge", "minutes") == crossing_time([1, 2, 5, 10]) == 17
    assert expected("bridge-six", "minutes") == crossing_time([1, 3, 4, 6, 8, 9])


def test_three_jugs() -> None:
    size = (8, 5, 3)

    def pour(held: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
        for a in range(3):
            for b in range(3):
                much = min(held[a], size[b] - held[b])
                if a != b and much:
                    after = list(held)
                    after[a] -= much
                    after[b] += much
                    yield tuple(after)

    found = fewest_moves((8, 0, 0), pour, lambda held: held == (4, 4, 0))
    assert found == (expected("jugs-8-5-3", "moves"), expected("jugs-8-5-3", "reachable"))


def test_copying_all_and_pasting() -> None:
    def prime_factors(n: int) -> list[int]:
        least = next((p for p in range(2, n) if n % p == 0), n)
        return [] if n == 1 else [least, *prime_factors(n // least)]

    for n in (1, 13, 64, 90, 100):

        def key(state: tuple[int, int], most: int = n) -> Iterable[tuple[int, int]]:
            letters, clipboard = state
            yield letters, letters
            if letters + clipboard <= most:
                yield letters + clipboard, clipboard

        def is_done(state: tuple[int, int], most: int = n) -> bool:
            return state[0] == most

        found = fewest.load("copy-and-paste", parameters={"n": n}).explore(plans=False)
        assert (found.minimum, found.num_states) == fewest_moves((1, 0), key, is_done)
        assert found.minimum == sum(prime_factors(n))
    assert found.minimum == expected("copy-and-paste", "moves")


def test_crates_to_climb() -> None:
    rows = ["..........", ".........!", "........##", "......$.##", "..$@..$$##"]
    at = {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row)}
    walls = {place for place, x in at.items() if x == "#"}

    def step(state: Crates) -> Iterable[Crates]:
        (r, c), crates = state

        def is_free(place: tuple[int, int]) -> bool:
            return place in at and place not in walls and place not in crates

        # A walker can stand on this place, which may be outside the board.
        def holds(place: tuple[int, int]) -> bool:
            return not is_free(place) and place != (r, c)

        for d in (-1, 1):
            beside, below, above = (r, c + d), (r + 1, c + d), (r - 1, c + d)
            if is_free(beside) and holds(below):
                yield beside, crates
            if holds(beside) and is_free(above) and is_free((r - 1, c)):
                yield above, crates
            if is_free(beside) and is_free(below) and holds((r + 2, c + d)):
                yield below, crates
            far = (r, c + 2 * d)
            if (
                beside in crates
                and above not in crates
                and is_free(far)
                and holds((r + 1, c + 2 * d))
            ):
                yield beside, crates - {beside} | {far}

    first = next(place for place, x in at.items() if x == "@")
    crates = frozenset(place for place, x in at.items() if x == "$")
    found, _ = fewest_moves((first, crates), step, lambda state: at[state[0]] == "!")
    assert found == expected("three-steps", "moves")


def test_falling_rocks() -> None:
    rows = ["@,o,,", ",,o,g", "g,,o,"]
    cells = {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row)}

    def after_falls(board: dict[Cell, str]) -> frozenset[tuple[Cell, str]]:
        for r, c in sorted(board, reverse=True):  # the lowest rocks fall first
            while board[r, c] == "o" and board.get((r + 1, c)) == ".":
                board[r, c], board[r + 1, c] = ".", "o"
                r += 1
        return frozenset(board.items())

    def dig(state: frozenset[tuple[Cell, str]]) -> Iterable[frozenset[tuple[Cell, str]]]:
        board = dict(state)
        r, c = next(place for place, x in board.items() if x == "@")
        for d, e in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            there, far = (r + d, c + e), (r + 2 * d, c + 2 * e)
            if board.get(there, "#") in ".,g":
                yield after_falls({**board, (r, c): ".", there: "@"})
            if board.get(there) == "o" and d == 0 and board.get(far) == ".":
                yield after_falls({**board, (r, c): ".", there: "@", far: "o"})

    found = fewest_moves(frozenset(cells.items()), dig, lambda s: "g" not in dict(s).values())
    assert found == (expected("digger", "moves"), expected("digger", "reachable"))


def minotaur(rows: list[str]) -> tuple[int | None, int]:
    """The minimum number of steps past the Minotaur, and the number of positions."""
    at = {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row) if x != "#"}
    find = {x: place for place, x in at.items()}

    def chase(him: Cell, beast: Cell) -> Cell:
        for _ in range(2):
            (r, c), (y, x) = him, beast
            across = (y, x + (c > x) - (c < x))
            along = (y + (r > y) - (r < y), x)
            beast = next((p for p in (across, along) if p != beast and p in at), beast)
        return beast

    def go(state: tuple[Cell, Cell]) -> Iterable[tuple[Cell, Cell]]:
        (r, c), beast = state
        if (r, c) == beast:
            return
        for there in ((r, c), (r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
            if there in at and there != beast:
                yield there, chase(there, beast)

    first = find["@"], find["m"]
    return fewest_moves(first, go, lambda s: at[s[0]] == "!" and s[0] != s[1])


def test_past_the_minotaur() -> None:
    rows = ["!#m...", "....#.", ".#...#", "...@.."]
    assert minotaur(rows)[0] == expected("minotaur-one", "moves")
