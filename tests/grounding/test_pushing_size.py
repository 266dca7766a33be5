"""The lower bound on the size of a slide with sticky pieces never exceeds the number of operators. A puzzle with many
adjacent sticky pieces is refused before its cases are listed."""

from __future__ import annotations

from random import Random

import pytest

import fewest
from fewest.errors import DocumentError
from fewest.grounding import grounder as grounding
from fewest.grounding.ground import ground
from fewest.grounding.grounder import Grounder
from fewest.grounding.motion import directions_of
from fewest.grounding.partial import partial
from fewest.grounding.pushing import pushed_group
from fewest.grounding.pushing_size import least_cases
from fewest.model.rules import Slide
from tests.helpers.effort import at_most

HEAP = """puzzle: heap
legend: {".": floor, "#": wall, "@": man, o: jelly, b: box, p: pillar}
pieces: {man: {}, jelly: {}, box: {}, pillar: {}}
moves: {walk: {slide: man, SLIDE}}
goal: {man: {at: [0, 0]}}
board: |
BOARD
"""


def heap(rows: list[str], slide: str = "carries: jelly, sticky: jelly") -> str:
    board = "\n".join(f"  {row}" for row in rows)
    return HEAP.replace("SLIDE", slide).replace("BOARD", board)


def counted(text: str) -> list[tuple[int, int, int]]:
    """For each place and direction of the rule: the bound, the number of cases, and the number of cases that are
    operators."""
    puzzle = fewest.load("heap.yaml", text=text).puzzle
    grounder = Grounder(puzzle)
    (rule,) = puzzle.rules
    assert isinstance(rule, Slide)
    found: list[tuple[int, int, int]] = []
    for piece in puzzle.answering(rule.word):
        for direction in directions_of(rule, piece, grounder.board):
            for anchor in grounder.anchors(piece.id):
                start = grounder.fact(piece.id, anchor)
                assert start is not None
                offset = direction.offset
                cases = grounder.split(
                    lambda view, first=start, by=offset: pushed_group(rule, view, first, by),
                    partial([start]),
                )
                bound = least_cases(rule, grounder, piece.id, anchor, direction)
                found.append((bound, len(cases), sum(moved is not None for moved, _ in cases)))
    return found


@pytest.mark.parametrize(
    "seed", [*range(5), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(5, 16))]
)
def test_the_bound_is_at_most_the_number_of_operators(seed: int) -> None:
    rng = Random(seed)
    contents = rng.choice(["@oo", "@ooo", "@oob", "@oop", "@oobp", "@@oo"])
    cells = [*contents, *rng.choice(["", "#", "##"])]
    cells += "." * (12 - len(cells))
    rng.shuffle(cells)
    rows = ["".join(cells[at : at + 4]) for at in range(0, 12, 4)]
    slide = rng.choice(
        [
            "carries: jelly, sticky: jelly",
            "carries: any, sticky: jelly",
            "carries: jelly, sticky: any",
            "carries: any, sticky: own",
            "carries: jelly, sticky: jelly, most: 1",
            "carries: box, sticky: any, most: 2",
        ]
    )
    found = counted(heap(rows, slide))
    assert found and all(bound <= operators <= cases for bound, cases, operators in found)
    assert any(bound for bound, _, _ in found)


def test_the_bound_is_exact_where_only_sticky_pieces_of_one_kind_move() -> None:
    found = counted(heap(["@...", ".oo.", ".o.."]))
    assert all(bound in (0, operators) for bound, _, operators in found)
    assert max(bound for bound, _, _ in found) > 20


TWELVE = ["oooooo..", "oooooo..", "........", "........", "........", ".......@"]


@pytest.mark.parametrize(
    ("rows", "size"),
    [
        (TWELVE, "a condition of `walk` has more than 50,000 cases, for sets of up to 12 pieces"),
        (
            ["oooo.", "oooo.", ".....", ".....", "....@"],
            "`walk`, which moves sticky pieces along, has more than 200,000 operators",
        ),
    ],
)
def test_a_heap_is_refused_before_its_cases_are_listed(rows: list[str], size: str) -> None:
    puzzle = fewest.load("heap.yaml", text=heap(rows)).puzzle
    with pytest.raises(DocumentError) as error, at_most(3_000_000):
        ground(puzzle)
    (found,) = error.value.diagnostics
    assert (found.code, found.line) == ("task-too-large", 4)
    assert size in found.message
    assert found.hint is not None and "`most`" in found.hint


def test_the_remedy_for_a_heap_works() -> None:
    text = heap(TWELVE, "carries: jelly, sticky: jelly, most: 1")
    assert ground(fewest.load("heap.yaml", text=text).puzzle).operators


def test_a_condition_limits_the_operators_so_their_number_is_not_estimated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(grounding, "MAX_OPERATORS", 60)
    rows = ["oo..", "....", "...@"]
    with pytest.raises(DocumentError, match="more than 60 operators"):
        ground(fewest.load("heap.yaml", text=heap(rows)).puzzle)
    only = heap(rows, 'carries: jelly, sticky: jelly, when: "row(man) == 2 and col(man) == 3"')
    assert ground(fewest.load("heap.yaml", text=only).puzzle).operators
