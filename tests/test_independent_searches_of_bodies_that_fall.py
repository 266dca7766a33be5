"""Searches of a dozen lines confirm minima of puzzles in which a body of several cells crawls and falls."""

from __future__ import annotations

from collections.abc import Iterable

from tests.test_independent_searches import Cell, expected, fewest_moves
from tests.test_independent_searches_of_lines import DIRECTIONS, cells

Body = tuple[Cell, ...]


def fallen(body: Body, free: set[Cell]) -> Body:
    """The cells of the body after it has fallen through free cells."""
    while {(r + 1, c) for r, c in body} <= free:
        body = tuple((r + 1, c) for r, c in body)
    return body


def test_falling_snake() -> None:
    rows = [".f321..!.", "..#####.f", ".#.......", "...##.#..", "...####..", ".##.#.##.", "^" * 9]
    floor, (exit_,), thorns = cells(rows, ".f123!^"), cells(rows, "!"), cells(rows, "^")
    body = tuple(place for digit in "123" for place in cells(rows, digit))

    def creep(state: tuple[Body, frozenset[Cell]]) -> Iterable[tuple[Body, frozenset[Cell]]]:
        body, fruit = state
        for d, e in DIRECTIONS:
            head = (body[0][0] + d, body[0][1] + e)
            if head in floor - set(body):
                longer = (head, *body) if head in fruit else (head, *body[:-1])
                left = fruit - {head}
                rest = longer if head == exit_ and not left else fallen(longer, floor - left)
                if not set(rest) & thorns:
                    yield rest, left

    first = (body, frozenset(cells(rows, "f")))
    found = fewest_moves(first, creep, lambda s: not s[1] and s[0][0] == exit_)
    assert found == (expected("falling-snake", "moves"), expected("falling-snake", "reachable"))


def test_the_vine() -> None:
    rows = [
        "..##.!..",
        "....#...",
        "..#..#..",
        "#.##...#",
        "#..#.#.#",
        "##.....#",
        "####...@",
    ]
    floor, (light,), (tip,) = cells(rows, ".@!"), cells(rows, "!"), cells(rows, "@")

    def live(vine: Body) -> Iterable[Body]:
        (r, c), following = vine[-1], [vine[1:]] if len(vine) > 1 else []
        if len(vine) < 4:
            around = {(r + d, c + e) for d, e in DIRECTIONS} & floor - set(vine)
            following += [(*vine, place) for place in around]
        return [fallen(body, floor) for body in following]

    found = fewest_moves((tip,), live, lambda vine: vine[-1] == light)
    assert found == (expected("the-vine", "moves"), expected("the-vine", "reachable"))
