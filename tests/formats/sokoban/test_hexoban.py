"""Hexoban levels on hexagons are read and written; a search on the drawings confirms their minima."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fewest
from fewest.errors import DocumentError, Source
from fewest.formats.registry import READERS, parse_collection, read_collection
from fewest.machine.resources import puzzle_folder

SKINNER = "skinner.hsb"
STEPS = ((0, -2), (0, 2), (-1, -1), (-1, 1), (1, -1), (1, 1))  # rows and columns of the drawing
ROOM = "  # # #\n # @ $ #\n#   . #\n # # #\n"
Spot = tuple[int, int]


def drawings() -> list[list[str]]:
    """The rows of every level of the shipped file, unchanged."""
    text = (puzzle_folder() / "sokoban" / SKINNER).read_text(encoding="utf-8")
    blocks = (block.split("\n") for block in text.split("\n\n"))
    return [
        [row for row in block if "#" in row] for block in blocks if any("#" in x for x in block)
    ]


def minimum(rows: list[str], *, is_push_counted: bool) -> int:
    """The fewest pushes or moves, by a search that uses only the drawing."""
    at = {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row) if x != " "}
    width = max(map(len, rows))
    floor = {(r, c) for r in range(len(rows)) for c in range(width) if at.get((r, c)) != "#"}
    targets = {spot for spot, x in at.items() if x in ".+*"}
    boxes = frozenset(spot for spot, x in at.items() if x in "$*")
    player = next(spot for spot, x in at.items() if x in "@+")
    around = {
        (r, c): [
            ((r + d, c + s), (r + 2 * d, c + 2 * s)) for d, s in STEPS if (r + d, c + s) in floor
        ]
        for r, c in floor
    }
    useful = useful_spots(targets, around)
    best: dict[tuple[Spot, frozenset[Spot]], int] = {(player, boxes): 0}
    queue = deque([(player, boxes)])
    while queue:
        state = queue.popleft()
        player, boxes = state
        if targets <= boxes:
            return best[state]
        for ahead, behind in around[player]:
            is_push = ahead in boxes
            if is_push and (behind not in useful or behind in boxes):
                continue
            after = (ahead, boxes - {ahead} | {behind} if is_push else boxes)
            cost = best[state] + (is_push or not is_push_counted)
            if cost < best.get(after, 1 << 30):
                best[after] = cost
                (queue.append if is_push or not is_push_counted else queue.appendleft)(after)
    raise AssertionError("no plan")


def useful_spots(targets: set[Spot], around: dict[Spot, list[tuple[Spot, Spot]]]) -> set[Spot]:
    """The spots from which a box can be pushed to a target. A plan leaves no box anywhere else."""
    useful, left = set(targets), list(targets)
    while left:
        for before, player in around[left.pop()]:
            if player in around and before not in useful:  # the player pushes from `before`
                useful.add(before)
                left.append(before)
    return useful


@pytest.mark.parametrize(("number", "pushes", "moves"), [(1, 11, 38), (2, 6, 19), (3, 10, 33)])
def test_levels_have_the_minima_that_a_search_on_their_drawings_finds(
    number: int, pushes: int, moves: int
) -> None:
    rows = drawings()[number - 1]
    compiled = fewest.load(f"{SKINNER}:{number}")
    assert minimum(rows, is_push_counted=True) == pushes == compiled.solve("pushes").cost
    assert minimum(rows, is_push_counted=False) == moves == compiled.solve("moves").cost


def test_titles_and_authors_are_read() -> None:
    collection = read_collection(SKINNER)
    assert [level.title for level in collection.levels] == ["dws009", "dws011", "dws012"]
    assert (collection.title, collection.author) == ("Hexoban", "David W. Skinner")
    text = f'"one"\n; Author: Somebody\n{ROOM}\n"two"\n; Author: Another\n{ROOM}'
    levels = parse_collection(Source("x.hsb", text)).levels
    assert [(level.title, level.author) for level in levels] == [
        ("one", "Somebody"),
        ("two", "Another"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "  3(# )\n # @ $ #\n#   . #\n # # #\n",
        "  # # #\n 1# 1@ $ #\n#   . #\n 3(# )\n",
        "  3(# )| # @ $ #|#   . #| # # #\n",
    ],
)
def test_encoded_rows_keep_the_blanks_before_them(text: str) -> None:
    (expected,) = parse_collection(Source("x.hsb", ROOM)).levels
    (level,) = parse_collection(Source("x.hsb", text)).levels
    assert level.rows == expected.rows


def test_levels_are_recognised_whatever_their_file_is_called() -> None:
    for name in ("x.hsb", "x.txt", "x.xsb", "x.dat"):
        collection = parse_collection(Source(name, ROOM))
        assert collection.levels[0].rows == ("### ", "#@$#", "# .#", " ###")
        assert collection.model == "hexoban"
    square = "#####\n#@$.#\n#####\n"
    assert parse_collection(Source("x.hsb", square)).model == "sokoban-pairs"


def test_written_files_are_read_back() -> None:
    first = read_collection(SKINNER)
    text = READERS["hsb"].reader.write(first)
    again = parse_collection(Source("x.hsb", text))
    assert [(x.rows, x.title) for x in again.levels] == [(x.rows, x.title) for x in first.levels]
    assert [name for name, row in READERS.items() if row.reader.recognises(text)] == ["hsb"]


@given(
    st.lists(st.text("#@+$*. ", min_size=6, max_size=6), min_size=1, max_size=6), st.integers(0, 1)
)
def test_any_drawing_survives(cells: list[str], odd: int) -> None:
    rows = ["#" * 8, *(f"#{row}#" for row in cells), "#" * 8]
    drawn = [" " * ((at + odd) % 2) + " ".join(row) for at, row in enumerate(rows)]
    collection = parse(drawn)
    again = parse(READERS["hsb"].reader.write(collection).splitlines())
    assert again.levels[0].rows == collection.levels[0].rows
    assert sum(len(row.replace(" ", "")) for row in again.levels[0].rows) == sum(
        len(row.replace(" ", "")) for row in drawn
    )


def parse(rows: list[str]) -> fewest.formats.collection.Collection:
    """The collection that consists of one drawing, even if the drawing contains mistakes."""
    from fewest.errors import Report

    return READERS["hsb"].reader.read(Source("x.hsb", "\n".join(rows)), Report())


def test_a_character_between_two_cells_and_a_gap_are_named() -> None:
    levels = parse([*ROOM.splitlines(), "", *ROOM.replace("@ $", "@$ ").splitlines()]).levels
    (mistake,) = (mistake for mistake in levels[1].mistakes if mistake.code == "level-character")
    assert (mistake.line, mistake.column) == (7, 5) and not levels[0].mistakes
    gap = "  # # #\n # @ $ #\n#   .\n # # #\n"
    with pytest.raises(DocumentError) as error:
        parse_collection(Source("x.hsb", gap))
    assert [mistake.code for mistake in error.value.diagnostics] == ["level-open"]


def test_an_unknown_letter_in_a_level_is_reported_at_its_location() -> None:
    text = " # # # # #\n# @ $ Q . #\n # # # # # \n"
    with pytest.raises(DocumentError) as error:
        parse_collection(Source("x.hsb", text))
    (found,) = error.value.diagnostics
    assert (found.code, found.line, found.column) == ("level-character", 2, 7)


@pytest.mark.parametrize("row", ["#\t@ $ . #", "#\t@\t$ . #"])
def test_a_tab_within_a_row_is_one_blank(row: str) -> None:
    collection = parse_collection(Source("x.hsb", f" # # # #\n{row}\n # # # # \n"))
    assert collection.model == "hexoban"
