"""Searches that identify triangles by their corners confirm minima on triangular boards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import fewest
from tests.helpers.cells import ROOT
from tests.test_independent_searches import Cell, expected, fewest_moves
from tests.test_independent_searches_of_boards import drawing

Corners = frozenset[Cell]
Crates = tuple[Cell, frozenset[Cell]]  # the walker, and the crates
Robots = tuple[Cell, ...]


def triangles(rows: Sequence[str], *, first_points_up: bool) -> dict[Cell, Corners]:
    """The corners of every floor cell, as pairs (line between rows, half sides from the left)."""
    found: dict[Cell, Corners] = {}
    for r, row in enumerate(rows):
        for c, x in enumerate(row):
            points_up = ((r + c) % 2 == 0) is first_points_up
            tip, base = (r, r + 1) if points_up else (r + 1, r)
            if x != "#":
                found[r, c] = frozenset({(tip, c + 1), (base, c), (base, c + 2)})
    return found


def test_crates_on_triangles() -> None:
    rows = drawing(ROOT / "puzzles" / "pushing" / "three-sides.yaml")
    corners = triangles(rows, first_points_up=False)
    near = {p: [q for q in corners if len(corners[p] & corners[q]) == 2] for p in corners}
    at = {p: rows[p[0]][p[1]] for p in corners}
    targets = frozenset(p for p, x in at.items() if x == "!")

    def step(state: Crates) -> Iterable[Crates]:
        walker, crates = state
        for there in near[walker]:
            if there not in crates:
                yield there, crates
                continue
            for beyond in near[
                there
            ]:  # no neighbour is straight ahead, so both others are possible
                if beyond != walker and beyond not in crates:
                    yield there, crates - {there} | {beyond}

    (walker,) = (p for p, x in at.items() if x == "@")
    crates = frozenset(p for p, x in at.items() if x == "$")
    found = fewest_moves((walker, crates), step, lambda state: state[1] == targets)
    assert found == (expected("three-sides", "moves"), expected("three-sides", "reachable"))


def strips(corners: dict[Cell, Corners]) -> list[list[Cell]]:
    """The strips of triangles between neighbouring parallel grid lines, in order, for all three directions."""
    found: list[list[Cell]] = []
    for lean in (0, 1, -1):  # r + lean * c is constant on a grid line
        by_strip: dict[int, list[tuple[int, int, Cell]]] = {}
        for cell, points in corners.items():
            right, down = sum(c for _, c in points), sum(r for r, _ in points)
            strip = by_strip.setdefault(min(r + lean * c for r, c in points), [])
            strip.append((right, -lean * down, cell))
        found += [[cell for _, _, cell in sorted(strip)] for strip in by_strip.values()]
    return found


def test_robots_along_strips() -> None:
    text = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    match = re.search(r"```yaml\n(puzzle: along-the-strips\n.*?)```", text, re.S)
    assert match is not None
    found = fewest.load("strips.yaml", text=match[1]).explore(plans=False)
    rows = [line[2:] for line in match[1].split("board: |\n")[1].split("\n") if line[:2] == "  "]
    corners = triangles(rows, first_points_up=True)

    def run(state: Robots) -> Iterable[Robots]:
        for robot, here in enumerate(state):
            for strip in strips(corners):
                if here not in strip:
                    continue
                for direction in (strip, strip[::-1]):
                    end = here
                    for there in direction[direction.index(here) + 1 :]:
                        if there in state or len(corners[end] & corners[there]) != 2:
                            break
                        end = there
                    if end != here:
                        yield (*state[:robot], end, *state[robot + 1 :])

    start = tuple(
        next((r, c) for r, row in enumerate(rows) for c, x in enumerate(row) if x == letter)
        for letter in "AB"
    )
    assert fewest_moves(start, run, lambda state: state[0] == (2, 4)) == (
        found.minimum,
        found.num_states,
    )
