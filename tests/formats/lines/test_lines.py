"""Files with one board in each line (Rush Hour boards, Klotski codes, tiles as numbers) are read and written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fewest
from fewest.errors import DocumentError
from fewest.formats.collection import document
from fewest.formats.registry import READERS, read_collection
from fewest.machine.resources import puzzles
from tests.formats.lines.line_cases import DATABASE, parsed

SHIPPED = ("database.rush", "hua-rong-dao.klotski", "korf.tiles")


def shipped_documents(family: str) -> dict[str, fewest.CompiledPuzzle]:
    return {
        compiled.puzzle.title: compiled
        for found, _, path in puzzles()
        if found == family
        for compiled in [fewest.load(path)]
    }


@pytest.mark.parametrize("name", SHIPPED)
def test_written_files_are_read_back(name: str) -> None:
    first = read_collection(name)
    row = READERS[name.rpartition(".")[2]]
    again = parsed(row.reader.write(first), name)
    assert len(first.levels) > 3 and first.notes and first.title
    assert [(x.rows, x.goal, x.title, x.expect) for x in again.levels] == [
        (x.rows, x.goal, x.title, x.expect) for x in first.levels
    ]
    assert (again.title, again.author, again.model) == (first.title, first.author, first.model)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_text_is_recognised_by_one_format_alone_and_whatever_it_is_called(name: str) -> None:
    row = READERS[name.rpartition(".")[2]]
    first = read_collection(name)
    text = row.reader.write(first)
    assert [other for other in READERS.values() if other.reader.recognises(text)] == [row]
    for suffix in (suffix for other in READERS.values() for suffix in other.suffixes):
        found = parsed(text, f"x{suffix}")
        assert found.model == first.model
        assert [x.rows for x in found.levels] == [x.rows for x in first.levels]


def test_boards_of_the_database_have_its_minima_and_its_numbers_of_positions() -> None:
    collection = read_collection("database.rush")
    assert len(collection.levels) == 24
    for level in collection.levels:
        compiled = fewest.load("x.yaml", text=document(collection, level))
        assert compiled.solve("slides").cost == level.expect["slides"]
    few = [level for level in collection.levels if level.expect["reachable"] < 1000]
    assert len(few) > 5
    for level in few:
        compiled = fewest.load("x.yaml", text=document(collection, level))
        assert compiled.explore("slides").num_states == level.expect["reachable"]


def test_a_line_of_the_database_is_the_board_that_it_was_made_from() -> None:
    (level,) = parsed(DATABASE, "x.rush").levels
    assert level.rows == ("IBB#..", "I..L" + "DD", "JAAL..", "J.KEEM", "FFK..M", "GGHHHM")
    assert level.expect == {"slides": 60, "reachable": 2332}


def test_the_fields_around_a_board_are_optional() -> None:
    board = DATABASE.split()[1]
    for line, known, title in (
        (board, {}, ""),
        (f"60 {board}", {"slides": 60}, ""),
        (f"{board} 2332", {"reachable": 2332}, ""),
        (
            f"60\t{board}\t2332 the hardest of all",
            {"slides": 60, "reachable": 2332},
            "the hardest of all",
        ),
    ):
        text = f"slides\tboard\treachable\n; no board\n\n{line}\n"
        (level,) = parsed(text, "x.rush").levels
        assert (level.expect, level.title, level.line) == (known, title, 4)


def test_the_red_car_is_x_where_there_is_one() -> None:
    (level,) = parsed(
        "AAB...\n..B...\nXX....\n......\n......\n......".replace("\n", ""), "x.rush"
    ).levels
    assert level.rows[:3] == ("AAB...", "..B...", "XX....")


def test_codes_are_the_layouts_that_ship_and_have_their_answers() -> None:
    known = {compiled.puzzle.title: compiled for compiled in shipped_documents("klotski").values()}
    collection = read_collection("hua-rong-dao.klotski")
    compared = 0
    for level in collection.levels:
        if level.title not in known or level.title == "层层设防":  # two levels have this name
            continue
        compiled = fewest.load("x.yaml", text=document(collection, level))
        assert compiled.solve("turns").cost == known[level.title].solve("turns").cost
        compared += 1
    assert compared >= 20


def test_the_codes_that_are_published_as_examples_are_read() -> None:
    # Examples 1 and 2 of docs/klotski_code.md in HRD_Database by Dnomd343.
    first, second, short = parsed("1A9BF0C00\n4FEA13400\n1a9bf0c 横刀立马\n", "x.klotski").levels
    assert first.rows == ("ACCB", "ACCB", "DEEF", "DGHF", "I..J")
    assert second.rows == ("ABDE", "CCFE", "CCFG", ".HHG", ".IJJ")
    assert (short.rows, short.title) == (first.rows, "横刀立马")


pieces = st.lists(st.sampled_from("0123"), min_size=0, max_size=16)


@given(st.integers(0, 15), pieces)
def test_a_code_survives_a_round_trip_or_is_refused(head: int, kinds: list[str]) -> None:
    bits = "".join(f"{int(kind):02b}" for kind in kinds).ljust(32, "0")
    code = f"{head:X}{int(bits, 2):08X}"
    try:
        collection = parsed(code, "x.klotski")
    except DocumentError as error:
        assert {diagnostic.code for diagnostic in error.diagnostics} == {"level-line"}
        return
    assert READERS["klotski"].reader.write(collection).split() == [code]
    rows = collection.levels[0].rows
    assert [len(row) for row in rows] == [4] * 5 and "".join(rows).count("C") == 4


def test_korfs_positions_are_the_puzzles_that_ship() -> None:
    collection = read_collection("korf.tiles")
    assert [level.title or str(level.number) for level in collection.levels] == [
        "1",
        "2",
        "3",
        "79",
    ]
    for number in (1, 79):
        shipped = fewest.load(f"korf-{number:03d}")
        level = fewest.load(f"korf.tiles:{number}")
        assert level.start == shipped.start
        assert level.puzzle.goal == shipped.puzzle.goal
    assert fewest.load("korf.tiles:79").solve().cost == 42


def test_size_and_goal_hold_for_the_lines_below_them() -> None:
    text = (
        "8 6 7 2 5 4 3 0 1\nGoal: last\n8 6 7 2 5 4 3 0 1\nSize: 2x3\n1 2 3 4 0 5\n"
        "Goal: 1 2 3 0 4 5\n7 1 2 3 4, 5, 0\n"
    )
    collection = parsed(text, "x.tiles")
    assert [level.goal for level in collection.levels] == [
        ("_12", "345", "678"),
        ("123", "456", "78_"),
        ("123", "45_"),
        ("123", "_45"),
    ]
    assert [level.title for level in collection.levels] == ["", "", "", "7"]
    found = [
        fewest.load("x.yaml", text=document(collection, level)).solve().cost
        for level in collection.levels[1:]
    ]
    assert found == [31, 1, 2]  # the first is one of the two farthest positions (Reinefeld 1993)
    again = parsed(READERS["tiles"].reader.write(collection), "x.tiles")
    assert [(x.rows, x.goal, x.title) for x in again.levels] == [
        (x.rows, x.goal, x.title) for x in collection.levels
    ]


@given(
    st.permutations(range(12)),
    st.permutations(range(12)),
    st.sampled_from([(3, 4), (2, 6), (6, 2)]),
)
def test_any_position_of_tiles_and_any_goal_survive(
    tiles: list[int], goal: list[int], size: tuple[int, int]
) -> None:
    text = f"Size: {size[0]}x{size[1]}\nGoal: {' '.join(map(str, goal))}\n{' '.join(map(str, tiles))}\n"
    (level,) = parsed(text, "x.tiles").levels
    (again,) = parsed(READERS["tiles"].reader.write(parsed(text, "x.tiles")), "x.tiles").levels
    assert (again.rows, again.goal) == (level.rows, level.goal)
    assert [len(row) for row in level.rows] == [size[1]] * size[0]


def test_tiles_are_read_with_a_line_of_their_size_and_without() -> None:
    rows = "1 2 3 4\n5 6 7 8\n9 10 11 0\n13 14 15 12\n"
    for text in (f"4 4\n{rows}", f"4\n{rows}", f"4x4\n{rows}", rows, f"# one\n\n{rows}\n{rows}"):
        level = parsed(text, "x.tiles").levels[0]
        assert level.rows == ("1234", "5678", "9AB_", "DEFC")
        assert level.goal == (
            "1234",
            "5678",
            "9ABC",
            "DEF_",
        )  # no plan leads to the goal with the gap first
        assert level.remark == "the gap is last in the goal, because it cannot be first"
    (level,) = parsed(f"Goal: first\n{rows}", "x.tiles").levels
    assert (level.goal[0], level.remark) == ("_123", "")
    (level,) = parsed("3 3\n1 2 3\n4 5 0\n7 8 6\n", "x.tiles").levels  # both goals can be reached
    assert level.goal[0] == "_12" and level.remark.startswith("the gap is first in the goal; ")
    (level,) = parsed("Goal: last\n3 3\n1 2 3\n4 5 0\n7 8 6\n", "x.tiles").levels
    assert (level.goal[0], level.remark) == ("123", "")
    two = parsed("2 3\n1 2 3\n4 0 5\n\n2 3\n1 2 3 4 5 0\n", "x.tiles")
    assert [level.rows for level in two.levels] == [("123", "4_5"), ("123", "45_")]


@pytest.mark.parametrize("name", ["x.tiles", "x.txt"])
@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("3 3\n1 2 3\n4 5 6\n7 8\n", 4, "row 3 has 2 numbers"),
        ("3\n1 2 3 4\n5 6 7 8\n9 10 11 0\n", 2, "row 1 has 4 numbers"),
        ("3x3\n1 2 3\n4 5 0\n", 1, "the board has 2 rows"),
    ],
)
def test_tiles_that_do_not_fit_the_line_of_their_size_are_one_mistake(
    name: str, text: str, line: int, message: str
) -> None:
    with pytest.raises(DocumentError) as error:
        parsed(text, name)
    (found,) = error.value.diagnostics
    assert (found.code, found.line, found.message) == ("level-line", line, message)


def test_the_reachable_goal_agrees_with_a_search() -> None:
    for numbers, columns in (("1 2 3 4 0 5", 3), ("3 2 1 4 0 5", 3), ("1 0 2 3 4 5 6 7", 4)):
        size = f"{len(numbers.split()) // columns}x{columns}"
        (level,) = parsed(f"Size: {size}\n{numbers}", "x.tiles").levels
        both = [
            parsed(f"Size: {size}\nGoal: {word}\n{numbers}", "x.tiles")
            for word in ("first", "last")
        ]
        first, last = (
            fewest.load("x.yaml", text=document(found, found.levels[0])).solve().status
            for found in both
        )
        is_last = first == "unsolvable" and last == "optimal"
        assert (level.goal == both[1].levels[0].goal) == is_last
