"""Other searches confirm minima of puzzles with groups that push chains, and with animals that react."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tests.test_independent_searches import Cell, fewest_moves
from tests.test_independent_searches_of_lines import DIRECTIONS, cells
from tests.test_independent_searches_of_runs import Blocks, both

Three = tuple[Cell, Cell, Cell]  # the walker, the dog and the cat


def marches(inside: set[Cell]) -> Callable[[Blocks], Iterable[Blocks]]:
    """Commands that move a whole group in its own direction; the group pushes rows of blocks if there is room."""

    def march(state: Blocks) -> Iterable[Blocks]:
        board = dict(state)
        for group, (d, e) in {"r": (0, 1), "g": (-1, 0), "b": (0, -1), "y": (1, 0)}.items():
            moving = set[Cell]()
            for r, c in (place for place, x in board.items() if x == group):
                row = [(r, c)]
                while (ahead := (row[-1][0] + d, row[-1][1] + e)) in board:
                    row.append(ahead)
                if ahead in inside:
                    moving.update(row)
            if moving:
                yield frozenset(
                    ((r + d, c + e) if (r, c) in moving else (r, c), x) for (r, c), x in state
                )

    return march


def marching(rows: list[str]) -> tuple[int | None, int]:
    first = frozenset(((r, c), rows[r][c]) for r, c in cells(rows, "rgbyx"))
    goals = {(place, "x") for place in cells(rows, "!")}
    return fewest_moves(first, marches(cells(rows, ".!rgbyx")), lambda state: goals <= state)


def walking(floor: set[Cell]) -> Callable[[Three], Iterable[Three]]:
    """After each step of the walker, the dog comes nearer and the cat moves away, if they see the walker."""

    def direction(eye: Cell, walker: Cell, other: Cell) -> Cell | None:
        for d, e in DIRECTIONS:
            at = (eye[0] + d, eye[1] + e)
            while at in floor and at not in (walker, other):
                at = (at[0] + d, at[1] + e)
            if at == walker:
                return d, e
        return None

    def step(state: Three) -> Iterable[Three]:
        (r, c), first_dog, first_cat = state
        for d, e in DIRECTIONS:
            walker, dog, cat = (r + d, c + e), first_dog, first_cat
            if walker not in floor or walker in (dog, cat):
                continue
            if to := direction(dog, walker, cat):
                there = (dog[0] + to[0], dog[1] + to[1])
                dog = dog if there == walker else there
            if to := direction(cat, walker, dog):
                there = (cat[0] - to[0], cat[1] - to[1])
                cat = there if there in floor - {walker, dog} else cat
            yield walker, dog, cat

    return step


def accompanied(rows: list[str]) -> tuple[int | None, int]:
    (walker,), (dog,), (cat,) = (cells(rows, x) for x in "@dc")
    (kennel,), (basket,) = (cells(rows, x) for x in "kb")
    step = walking(cells(rows, ".@dckb"))
    return fewest_moves((walker, dog, cat), step, lambda s: s[1:] == (kennel, basket))


def test_dog_and_cat() -> None:
    assert accompanied([".d.cb", "#.k#.", ".....", "#..@."]) == both("dog-and-cat")


def test_marching_orders() -> None:
    assert marching(["y..!x", "r.x..", "....b", ".#g#."]) == both("marching-orders")
