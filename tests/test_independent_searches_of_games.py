"""Searches that share no code with this program confirm minima and numbers of positions of puzzles about guards,
lasers, merging blocks, dice, lifts and ice.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from tests.test_independent_searches import Cell, expected
from tests.test_independent_searches_of_lines import DIRECTIONS, cells

State = TypeVar("State", bound=Hashable)
Night = tuple[Cell, frozenset[Cell], int]
Beam = tuple[Cell, Cell, Cell, bool]
Blocks = frozenset[tuple[Cell, int]]
Die = tuple[Cell, int, int, int]
Lift = tuple[int, tuple[int, ...]]
Pushed = tuple[Cell, frozenset[Cell]]


def searched(
    start: State, steps: Callable[[State], Iterable[State]], is_goal: Callable[[State], bool]
) -> tuple[int, int]:
    """The fewest steps to a goal, and the number of reachable states."""
    distance = {start: 0}
    order = [start]
    for state in order:
        for reached in steps(state):
            if reached not in distance:
                distance[reached] = distance[state] + 1
                order.append(reached)
    return min(d for state, d in distance.items() if is_goal(state)), len(order)


def test_a_thief_waits_between_the_rounds_of_guards() -> None:
    rows = ["t....#..", "..#.g#..", "#.#...g.", "...#..##", "#.......", ".g..#..!"]
    floor = cells(rows, ".tg!")

    def are_in_line(one: Cell, other: Cell, guards: frozenset[Cell]) -> bool:
        if one[0] != other[0] and one[1] != other[1]:
            return False
        (r, c), (s, d) = sorted((one, other))
        way = (int(s > r), int(d > c)) if r != s or d >= c else (0, -1)
        at = (r + way[0], c + way[1])
        while at != (s, d):
            if at not in floor or at in guards:
                return False
            at = (at[0] + way[0], at[1] + way[1])
        return True

    def steps(state: Night) -> Iterable[Night]:
        (r, c), guards, time = state
        side = 1 if time < 2 else -1
        for d, e in ((0, 0), *DIRECTIONS):
            thief = (r + d, c + e)
            if thief not in floor or thief in guards:
                continue
            moved = frozenset(
                (x, y + side)
                if (x, y + side) in floor - guards and (x, y + side) != thief
                else (x, y)
                for x, y in guards
            )
            if not any(are_in_line(guard, thief, moved) for guard in moved):
                yield thief, moved, (time + 1) % 4

    first: Night = ((0, 0), frozenset(cells(rows, "g")), 0)
    found = searched(first, steps, lambda state: state[0] == (5, 7))
    assert found == (expected("night-patrol", "moves"), expected("night-patrol", "reachable"))


def test_a_laser_hits_the_lamp() -> None:
    rows = [".......", ".@m....", "E......", "...n...", ".....R."]
    floor = cells(rows, ".@mn")
    (laser,), (lamp,) = cells(rows, "E"), cells(rows, "R")

    def is_lit(walker: Cell, slash: Cell, backslash: Cell) -> bool | None:
        """Whether the pulse hits the lamp; None if it never ends."""
        (r, c), (d, e) = (laser[0], laser[1] + 1), (0, 1)
        for _ in range(4 * len(floor)):
            if (r, c) == lamp:
                return True
            if (r, c) not in floor or (r, c) == walker:
                return False
            if (r, c) == slash:
                d, e = -e, -d
            elif (r, c) == backslash:
                d, e = e, d
            r, c = r + d, c + e
        return None

    def steps(state: Beam) -> Iterable[Beam]:
        (r, c), slash, backslash, _ = state
        for d, e in DIRECTIONS:
            there, beyond = (r + d, c + e), (r + 2 * d, c + 2 * e)
            if there not in floor:
                continue
            mirrors = [slash, backslash]
            if there in mirrors:
                if beyond not in floor or beyond in mirrors:
                    continue
                mirrors[mirrors.index(there)] = beyond
            lit = is_lit(there, *mirrors)
            if lit is not None:
                yield there, mirrors[0], mirrors[1], lit

    first: Beam = ((1, 1), (1, 2), (3, 3), False)
    fewest, _ = searched(first, steps, lambda state: state[3])
    assert fewest == expected("one-laser", "moves")


def test_blocks_merge_on_a_board_that_tilts() -> None:
    def slid(blocks: dict[Cell, int], d: int, e: int) -> dict[Cell, int]:
        out: dict[Cell, int] = {}
        for r, c in sorted(blocks, key=lambda at: -at[0] * d - at[1] * e):
            at = (r, c)
            while (at[0] + d, at[1] + e) not in out and (0 <= at[0] + d < 3 and 0 <= at[1] + e < 4):
                at = (at[0] + d, at[1] + e)
            out[at] = blocks[r, c]
        return out

    def steps(state: Blocks) -> Iterable[Blocks]:
        for d, e in DIRECTIONS:
            blocks = slid(dict(state), d, e)
            if blocks == dict(state):
                continue
            for number in (4, 2, 1):
                merged = set[Cell]()
                for r, c in sorted(blocks):
                    pair = {(r, c), (r + d, c + e)}
                    if merged.isdisjoint(pair) and all(blocks.get(at) == number for at in pair):
                        merged |= pair
                        del blocks[r, c]
                        blocks[r + d, c + e] = 2 * number
                blocks = slid(blocks, d, e)
            yield frozenset(blocks.items())

    rows = ["..21", ".110", "2..1"]
    first = frozenset((at, int(rows[at[0]][at[1]])) for at in cells(rows, "012"))
    found = searched(first, steps, lambda state: 8 in dict(state).values())
    assert found == (expected("eight-in-one", "tilts"), expected("eight-in-one", "reachable"))


def test_a_die_shows_the_number_of_every_cell() -> None:
    rows = ["@..#2.", "..6.66", "21611.", "..#..1", "66..5!"]
    floor = cells(rows, ".@1256!")

    def steps(state: Die) -> Iterable[Die]:
        (r, c), top, back, left = state
        for (d, e), turned in (
            ((-1, 0), (7 - back, top, left)),
            ((1, 0), (back, 7 - top, left)),
            ((0, -1), (7 - left, back, top)),
            ((0, 1), (left, back, 7 - top)),
        ):
            there = (r + d, c + e)
            if there in floor and rows[there[0]][there[1]] in (".", "@", "!", str(turned[0])):
                yield there, *turned

    found = searched(((0, 0), 1, 2, 3), steps, lambda state: state[:2] == ((4, 5), 6))
    assert found == (expected("die", "moves"), expected("die", "reachable"))


def test_a_lift_takes_four_people_home() -> None:
    weight, wanted = (2, 1, 1, 2), (3, 0, 2, 0)

    def steps(state: Lift) -> Iterable[tuple[int, Lift]]:
        floor, places = state
        yield from ((1 + abs(floor - to), (to, places)) for to in range(4) if to != floor)
        load = sum(weight[p] for p in range(4) if places[p] == -1)
        for p, place in enumerate(places):
            if place == -1 or (place == floor and load + weight[p] <= 3):
                yield 0, (floor, (*places[:p], floor if place == -1 else -1, *places[p + 1 :]))

    def cheapest(price: Callable[[int], tuple[int, ...]]) -> tuple[tuple[int, ...], int]:
        first: Lift = (1, (0, 3, 1, 2))
        zero = tuple(0 for _ in price(0))
        best = {first: zero}
        waiting = [(zero, first)]
        while waiting:
            cost, state = heapq.heappop(waiting)
            if best[state] == cost:
                for minutes, reached in steps(state):
                    total = tuple(a + b for a, b in zip(cost, price(minutes), strict=True))
                    if reached not in best or total < best[reached]:
                        best[reached] = total
                        heapq.heappush(waiting, (total, reached))
        return min(cost for state, cost in best.items() if state[1] == wanted), len(best)

    minutes, reachable = cheapest(lambda minutes: (minutes,))
    assert minutes == (expected("lift", "minutes"),)
    assert reachable == expected("lift", "reachable")
    assert cheapest(lambda minutes: (int(minutes > 0), minutes))[0] == (
        expected("lift", "rides"),
        expected("lift", "minutes"),
    )


def test_crates_glide_on_ice() -> None:
    rows = ["#########", "#..~~~..#", "#@$~~~!.#", "#..~$~..#", "#..~~~!.#", "#########"]
    floor, ice, targets = cells(rows, ".~@$!"), cells(rows, "~"), cells(rows, "!")

    def steps(state: Pushed) -> Iterable[Pushed]:
        (r, c), crates = state
        for d, e in DIRECTIONS:
            there = end = (r + d, c + e)
            if there not in floor:
                continue
            if there not in crates:
                yield there, crates
                continue
            while (beyond := (end[0] + d, end[1] + e)) in floor - crates:
                end = beyond
                if end not in ice:
                    break
            if end != there:
                yield there, crates - {there} | {end}

    first: Pushed = ((2, 1), frozenset(cells(rows, "$")))
    found = searched(first, steps, lambda state: targets <= state[1])
    assert found == (expected("gliding-crates", "moves"), expected("gliding-crates", "reachable"))
