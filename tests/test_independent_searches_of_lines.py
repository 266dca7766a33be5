"""Searches that share no code with this program confirm minima of puzzles about lines of sight."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tests.test_independent_searches import Cell, Crates, expected, fewest_moves

DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1))


def walking(
    floor: set[Cell], is_seen: Callable[[Cell, frozenset[Cell]], bool]
) -> Callable[[Crates], Iterable[Crates]]:
    """Steps of a walker that pushes rows of crates, and cannot move after it has been seen."""

    def step(state: Crates) -> Iterable[Crates]:
        (r, c), crates = state
        if is_seen((r, c), crates):
            return
        for d, e in DIRECTIONS:
            end = (r + d, c + e)
            while end in crates:
                end = (end[0] + d, end[1] + e)
            if end in floor:
                there = (r + d, c + e)
                yield there, crates if end == there else (crates - {there}) | {end}

    return step


def cells(rows: list[str], marks: str) -> set[Cell]:
    return {(r, c) for r, row in enumerate(rows) for c, x in enumerate(row) if x in marks}


def test_long_pushes() -> None:
    rows = ["########", "#. .   #", "##@ $# #", "#  $$.##", "#    $.#", "########"]
    targets = cells(rows, ".")
    (first,) = cells(rows, "@")
    step = walking(cells(rows, " .@$"), lambda here, crates: False)
    found, _ = fewest_moves(
        (first, frozenset(cells(rows, "$"))), step, lambda state: targets <= state[1]
    )
    assert found == expected("long-pushes", "moves")


def test_past_the_watchmen() -> None:
    rows = ["@......", "$$.$#..", "w..w$..", ".##...!"]
    floor, watchmen = cells(rows, ".@$!"), cells(rows, "w")
    (first,), (door,) = cells(rows, "@"), cells(rows, "!")

    def is_seen(here: Cell, crates: frozenset[Cell]) -> bool:
        for d, e in DIRECTIONS:
            r, c = here[0] + d, here[1] + e
            while (r, c) in floor and (r, c) not in crates:
                r, c = r + d, c + e
            if (r, c) in watchmen:
                return True
        return False

    found, _ = fewest_moves(
        (first, frozenset(cells(rows, "$"))),
        walking(floor, is_seen),
        lambda state: state[0] == door and not is_seen(*state),
    )
    assert found == expected("watchman", "moves")


def test_unseen() -> None:
    rows = ["c..#..", "c...$.", "......", "!.#@$#", "$....."]
    floor, cameras = cells(rows, ".@$!"), cells(rows, "c")
    (first,), (door,) = cells(rows, "@"), cells(rows, "!")

    def is_seen(thief: Cell, crates: frozenset[Cell]) -> bool:
        for r, c in cameras:
            for d, e in DIRECTIONS:
                at = (r + d, c + e)
                while at in floor and at not in crates:
                    if at == thief:
                        return True
                    at = (at[0] + d, at[1] + e)
        return False

    def sneak(state: Crates) -> Iterable[Crates]:
        (r, c), crates = state
        for d, e in DIRECTIONS:
            here, there = (r + d, c + e), (r + 2 * d, c + 2 * e)
            if here not in floor or (here in crates and (there not in floor or there in crates)):
                continue
            after = crates - {here} | {there} if here in crates else crates
            if not is_seen(here, after):
                yield here, after

    start = first, frozenset(cells(rows, "$"))
    found, reachable = fewest_moves(start, sneak, lambda s: s[0] == door)
    assert found == expected("unseen", "moves")
    assert reachable == expected("unseen", "reachable")
