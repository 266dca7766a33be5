"""Files with one board in each line (Rush Hour boards, Klotski codes, tiles as numbers) are read and written."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fewest
from fewest.cli.convert import FORMATS as OFFERED
from fewest.commands.convert import FORMATS, convert
from fewest.commands.sweep import SweepFile, levels, sweep
from fewest.errors import DocumentError, Source, UsageError
from fewest.formats.collection import Collection, document
from fewest.formats.plain import written
from fewest.formats.registry import READERS, is_collection, parse_collection, read_collection
from fewest.formats.stand_alone import check_same_start
from fewest.machine.resources import puzzles
from tests.helpers.command_line import run

SHIPPED = ("database.rush", "hua-rong-dao.klotski", "korf.tiles")
DATABASE = "60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332"
KORF = "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3"


def parsed(text: str, name: str) -> Collection:
    return parse_collection(Source(name, text))


def mistakes(text: str, name: str) -> list[tuple[str, int]]:
    """The code and line of each mistake: in the levels, or in a text that is refused as a whole."""
    try:
        found = [of_it for level in parsed(text, name).levels for of_it in level.mistakes]
    except DocumentError as error:
        found = list(error.diagnostics)
    return [(diagnostic.code, diagnostic.line) for diagnostic in found]


def shipped_documents(family: str) -> dict[str, fewest.CompiledPuzzle]:
    return {
        compiled.puzzle.title: compiled
        for found, _, path in puzzles()
        if found == family
        for compiled in [fewest.load(path)]
    }


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_written_is_read_back(name: str) -> None:
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
    assert level.rows == ("IBB#..", "I..L" + "DD", "JXXL..", "J.KEEM", "FFK..M", "GGHHHM")
    assert level.expect == {"slides": 60, "reachable": 2332}


def test_what_stands_around_a_board_may_be_missing() -> None:
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
def test_a_code_is_read_and_written_alike_or_refused(head: int, kinds: list[str]) -> None:
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


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("x.rush", "ooooooooooooAAooooooooooooooooooooo"),  # 35 cells
        ("x.rush", f"1 {DATABASE}"),
        ("x.rush", f"{DATABASE} 17"),
        ("x.rush", "oooooooooooooooooooooooooooooooooooo"),  # no red car
        ("x.rush", "AoooooAooooooooooooooooooooooooooooo"),  # a vertical red car
        ("x.rush", "BoooooooooooAAoooooooooooooooooooooo"),  # a car of one cell
        ("x.rush", "BBooooBoooooAAoooooooooooooooooooooo"),  # a car with a corner
        ("x.rush", "BBooBBooooooAAoooooooooooooooooooooo"),  # a car in two places
        ("x.klotski", "1A9BF0C001"),
        ("x.klotski", "7A9BF0C00"),  # the large piece is half outside
        ("x.klotski", "1A9BF0C0F"),  # too many pieces
        ("x.klotski", "15555FFFF"),  # overlapping pieces
        ("x.klotski", "heng-dao-li-ma"),
        ("x.tiles", "1 2 3 4 5 6 7 8 9"),
        ("x.tiles", "1 2 3 4 5 6 7 8 8"),
        ("x.tiles", "1 2 3 4 5"),
        ("x.tiles", "Size: 7x7"),
        ("x.tiles", "Goal: middle"),
        ("x.tiles", " ".join(map(str, range(49)))),
        ("x.tiles", "9" * 5000),
    ],
)
def test_a_line_without_a_board_is_an_error_with_its_place(name: str, line: str) -> None:
    good = {"x.rush": DATABASE, "x.klotski": "1A9BF0C00", "x.tiles": KORF}[name]
    found = mistakes(f"{good}\n# a comment\n{line}\n", name)
    assert found == [("level-line", 3)]


def test_all_wrong_lines_are_reported_at_once_and_so_is_an_empty_file() -> None:
    text = f"{DATABASE}\nno\n{DATABASE}\nnor this\n"
    assert mistakes(text, "x.rush") == [("level-line", 2), ("level-line", 4)]
    for name in ("x.rush", "x.klotski", "x.tiles"):
        assert [code for code, _ in mistakes("# nothing\n", name)] == ["level-missing"]


def test_a_text_without_a_sound_line_and_one_with_a_wrong_key_are_refused() -> None:
    for text, name in (("no\nnor this\n", "x.rush"), (f"{KORF}\nSize: 7x7\n", "x.tiles")):
        with pytest.raises(DocumentError):
            parsed(text, name)


def test_a_goal_of_another_size_is_reported_where_it_is_used() -> None:
    assert mistakes(f"Goal: 1 2 3 4 5 6 7 8 0\n{KORF}\n", "x.tiles") == [("level-line", 2)]


def test_levels_of_one_game_are_no_levels_of_another() -> None:
    with pytest.raises(
        UsageError, match="levels of rush-hour, which the format xsb cannot represent"
    ):
        convert("database.rush", "xsb")
    assert set(OFFERED) == set(FORMATS)
    assert all(is_collection(f"x{suffix}") for row in READERS.values() for suffix in row.suffixes)


def test_a_list_is_solved_completely_resumed_and_printed_as_json(tmp_path: Path) -> None:
    path = tmp_path / "few.rush"
    lines = READERS["rush"].reader.write(read_collection("database.rush")).splitlines()
    path.write_text("\n".join(lines[:9]) + "\n", encoding="utf-8")
    file = tmp_path / "results.jsonl"
    words = ("solve", str(path), "-m", "slides", "--json", "--jobs", "2", "--resume", str(file))
    first, second = run(*words), run(*words)
    for done in (first, second):
        assert done.returncode == 0, done.stderr
        found = {line["level"]: line["cost"] for line in map(json.loads, done.stdout.splitlines())}
        wanted = [level.expect["slides"] for level in read_collection(str(path)).levels]
        assert [found[number] for number in sorted(found)] == wanted
    assert len(file.read_text().splitlines()) == len(wanted) > 3


def test_lines_go_through_the_command_line(tmp_path: Path) -> None:
    assert "24 levels: 24 proven minimal" in run("solve", "database.rush", "-m", "slides").stdout
    shown = run("show", "hua-rong-dao.klotski", "--level", "横刀立马")
    assert shown.returncode == 0 and "ACCB" in shown.stdout
    folder = tmp_path / "boards"
    assert run("convert", "database.rush", "--to", "yaml", "-o", str(folder)).returncode == 0
    assert len(list(folder.glob("*.yaml"))) == 24
    for name in ("database-001.yaml", "database-015.yaml"):
        assert run("check", str(folder / name)).returncode == 0
    assert run("convert", "korf.tiles", "--to", "klotski").returncode == 2
    assert run("solve", "korf.tiles:79").returncode == 0


def test_a_batch_of_lines_remembers_its_answers(tmp_path: Path) -> None:
    collection = read_collection("hua-rong-dao.klotski")
    few = Collection(collection.name, collection.model, collection.levels[:3])
    file = tmp_path / "results.jsonl"
    for _ in range(2):
        with SweepFile(file) as records:
            done = sweep(levels(few), file=records, in_order=False)
        assert [member.cost for member in done.members] == [7, 16, 26]
    lines = file.read_text().splitlines()
    assert len(lines) == 3
    assert all(a != b for a, b in pairwise(lines))


SIX = ("....AA", "..BBCC", "rr..EF", "GGHHEF", "...IEF", "...IJJ")


def test_boards_of_other_sizes_and_their_red_cars() -> None:
    # Four boards of a published list. A breadth-first search of another program confirmed the minima.
    text = (
        "06 EoBBECCCAAoFDDoF 34 \n"
        "07 ooooooooooooooDGooooooDGooooBCEHAAooBCEHooooooFIooooooFIooooooFI 3501 \n"
        "10 oooooooooooooooFoooooooFoooBCDEGAAoBCDEGoooooooHoooooooHoooooooo 105350 \n"
    )
    collection = parsed(text, "x.txt")
    assert [len(level.rows) for level in collection.levels] == [4, 8, 8]
    assert collection.remark == "the red car is A"
    found = [
        fewest.load("x.yaml", text=document(collection, x)).solve("slides").cost
        for x in collection.levels
    ]
    assert found == [7, 7, 7]
    for side in (5, 7):
        rows = ["." * side] * side
        rows[side // 2] = "rr" + "." * (side - 2)
        (level,) = parsed("".join(rows), "x.rush").levels
        assert (len(level.rows), level.remark) == (side, "the red car is r")


def test_numbers_that_count_the_boards_are_no_minima() -> None:
    board = DATABASE.split()[1]
    counted = parsed("".join(f"{n:02} {board} 2332\n" for n in (1, 2, 3)), "x.rush")
    assert [level.expect for level in counted.levels] == [{"reachable": 2332}] * 3
    minima = parsed(f"60 {board}\n60 {board}\n60 {board}\n", "x.rush")
    assert [level.expect for level in minima.levels] == [{"slides": 60}] * 3


@pytest.mark.parametrize("name", ["x.rush", "x.txt"])
def test_a_board_may_be_drawn_with_its_title_above_it(name: str) -> None:
    drawing = "\n".join(SIX)
    first, second = parsed(f"Level 1:\n{drawing}\n\n\n{drawing.replace('r', 'X')}\n", name).levels
    assert first.rows == second.rows == tuple(row.replace("r", "X") for row in SIX)
    assert (first.title, second.title, first.line, second.line) == ("Level 1", "", 2, 10)
    assert (first.remark, second.remark) == ("the red car is r", "the red car is X")


def test_the_red_car_lies_in_a_row() -> None:
    # X is vertical, so r is the red car; the others keep their letters where possible.
    rows = ("X.....", "X..AA.", "rr....", "......", "......", "......")
    (level,) = parsed("\n".join(rows), "x.rush").levels
    assert level.rows[:3] == ("r.....", "r..AA.", "XX....")
    assert level.remark == "the red car is r"
    again = parsed(READERS["rush"].reader.write(parsed("\n".join(rows), "x.rush")), "x.rush")
    assert again.levels[0].rows == level.rows


def test_boards_that_are_no_squares_survive_with_their_titles() -> None:
    text = "wide:\n......\nrr.BB.\n..#...\n...CC.\n"
    (level,) = parsed(text, "x.rush").levels
    (again,) = parsed(READERS["rush"].reader.write(parsed(text, "x.rush")), "x.rush").levels
    assert (again.rows, again.title) == (level.rows, level.title) and level.title == "wide"


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
    two = parsed("2 3\n1 2 3\n4 0 5\n\n2 3\n1 2 3 4 5 0\n", "x.tiles")
    assert [level.rows for level in two.levels] == [("123", "4_5"), ("123", "45_")]


@pytest.mark.parametrize("name", ["x.tiles", "x.txt"])
@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("3 3\n1 2 3\n4 5 6\n7 8\n", 4, "row 3 has 2 numbers"),
        ("3\n1 2 3 4\n5 6 7 8\n9 10 11 0\n", 2, "row 1 has 4 numbers"),
        ("3x3\n1 2 3\n4 5 0\n", 1, "the board has 2 rows"),
    ],
)
def test_tiles_that_do_not_fit_the_line_of_their_size_are_one_mistake(
    name: str, text: str, line: int, said: str
) -> None:
    with pytest.raises(DocumentError) as error:
        parsed(text, name)
    (found,) = error.value.diagnostics
    assert (found.code, found.line, found.message) == ("level-line", line, said)


def test_which_goal_can_be_reached_is_what_a_search_says() -> None:
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


@pytest.mark.parametrize(
    ("name", "text", "line", "column", "character"),
    [
        ("x.rush", f"{DATABASE}\n  1 ooooooooooooAAoooo?ooooooooooooooooo\n", 2, 23, "?"),
        ("x.rush", "......\n..BBC?\nrr..CF\n.....F\n", 2, 6, "?"),
        ("x.rush", "IBBxooIooLDDJ$ALooJoKEEMFFKooMGGHHHM\n", 1, 14, "$"),
        ("x.txt", "IBBxooIooLDD?AALooJoKEEMFFKooMGGHHHM\n", 1, 13, "?"),
        ("x.klotski", "1A9BF0Z00 a title\n", 1, 7, "Z"),
        ("x.klotski", "1A9BF0C00\n 1A9!F0C00\n", 2, 5, "!"),
        ("x.tiles", f"{KORF}\n  0 1 2 x\n", 2, 9, "x"),
        ("x.tiles", "8 6 7 2 5 x 3 0 1\n", 1, 11, "x"),
        ("x.tiles", "x 6 7 2 5 4 3 0 1\n", 1, 1, "x"),
        ("x.tiles", "8 6 7\n2 5 x\n3 0 1\n", 2, 5, "x"),
        ("x.txt", "8 6 7\n2 5 x\n3 0 1\n", 2, 5, "x"),
        ("x.tiles", f"{KORF}\n\n0 1 2\n3 4 5\n6 ? 8\n", 5, 3, "?"),
        ("x.tiles", "3 3\n1 2 3\n4 x 6\n7 8 0\n", 3, 3, "x"),
        ("x.tiles", "3 3\n1 2 3\n4 5 6\n7 _ 8\n", 4, 3, "_"),
    ],
)
def test_an_unknown_character_is_named_where_it_stands(
    name: str, text: str, line: int, column: int, character: str
) -> None:
    try:
        found = [said for level in parsed(text, name).levels for said in level.mistakes]
    except DocumentError as error:
        found = list(error.diagnostics)
    reported = [
        said for said in found if f"`{character}` has no meaning in a board" in said.message
    ]
    assert [(said.line, said.column) for said in reported] == [(line, column)]
    assert {said.code for said in found} == {"level-character"}


def test_an_unknown_character_below_a_line_of_the_size_is_the_only_mistake() -> None:
    wrong, right = "3 3\n1 2 3\n4 x 6\n7 8 0\n", "3 3\n1 2 3\n4 5 6\n7 8 0\n"
    first, second, third = parsed(f"{right}\n{wrong}\n{right}", "x.tiles").levels
    assert not first.mistakes
    assert [said.message for said in second.mistakes] == ["`x` has no meaning in a board"]
    assert not third.mistakes


NO_LEVELS = {
    "names.txt": b"Ada, Grace\nKurt, Alan\n",
    "page.txt": b"<html><body>no levels</body></html>\n",
    "page.slc": b"<html><body>no levels</body></html>\n",
    "script.txt": b"# a comment\n#####\necho 1\n",
    "binary.rush": bytes(range(256)) * 20,
    "binary.dat": bytes(range(256)) * 20,
    "long.tiles": b"9" * 200_000,
    "long.xsb": b"#" * 200_000,
    "words.xsb": b"there is nothing here\n",
    "words.lvl": b"there is nothing here\n",
}


@pytest.mark.parametrize("name", NO_LEVELS)
def test_the_error_for_an_unknown_format_lists_the_formats(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(NO_LEVELS[name])
    with pytest.raises(DocumentError) as error:
        fewest.load(path)
    (said,) = error.value.diagnostics
    assert said.code == "unknown-format" and said.hint is not None
    assert all(suffix in said.hint for row in READERS.values() for suffix in row.suffixes)


@pytest.mark.parametrize("name", ["x.xsb", "x.rush", "x.tiles", "x.txt", "x.klotski"])
def test_an_empty_file_has_no_level(name: str) -> None:
    for text in ("", "\n\n", "; a comment\n"):
        assert [code for code, _ in mistakes(text, name)] == ["level-missing"]


def test_levels_are_read_whatever_their_file_is_called(tmp_path: Path) -> None:
    collection = parsed("\n".join(SIX), "x.rush")
    drawn = fewest.load("x.yaml", text=document(collection, collection.levels[0]))
    for name in ("board.dat", "board", "board.txt"):
        path = tmp_path / name
        path.write_text("\n".join(SIX), encoding="utf-16")
        found = fewest.load(path)
        assert found.start == drawn.start and found.puzzle.goal == drawn.puzzle.goal
    document_of_ours = tmp_path / "jugs.txt"
    shipped = next(path for _, name, path in puzzles() if name == "jugs")
    document_of_ours.write_text(Path(shipped).read_text(encoding="utf-8"), encoding="utf-8")
    assert fewest.load(document_of_ours).puzzle.name == "jugs"


def test_the_choice_of_the_red_car_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "six.txt"
    path.write_text("\n".join(SIX), encoding="utf-8")
    assert "note: the red car is r" in run("solve", str(path)).stderr
    assert "note: the red car is A" in run("solve", "database.rush:1").stderr
    shown = run("convert", str(path), "--to", "yaml").stdout
    assert "the red car is r" in shown


NO_RED_CAR = "..BB..\n..C...\nDDC..E\n..C..E\n..FF..\n......\n"


@pytest.mark.parametrize("name", ["x.rush", "x.txt", "x.xsb", "x"])
def test_a_drawing_without_a_red_car_says_so(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    for title, line in (("", 1), ("A title of a board\n", 2)):
        path.write_text(f"; a comment\n\n{title}{NO_RED_CAR}", encoding="utf-8")
        with pytest.raises(DocumentError) as error:
            fewest.load(path)
        (said,) = error.value.diagnostics
        assert (said.code, said.line) == ("level-line", line + 2)
        assert said.message == "this Rush Hour board has no red car"
        assert said.expected is not None and "`A`, `X` or `r`" in said.expected
    path.write_text(NO_RED_CAR.replace("E", "A"), encoding="utf-8")  # a vertical red car
    with pytest.raises(DocumentError, match="does not lie in a row"):
        fewest.load(path)
    path.write_text(NO_RED_CAR.replace("DD", "XX"), encoding="utf-8")
    assert fewest.load(path).solve().cost == 8


@pytest.mark.parametrize("name", ["x.rush", "x.txt", "x"])
def test_a_row_of_the_wrong_length_is_located(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    for title, line in (("", 2), ("An easy jam\n", 3)):
        path.write_text(title + "\n".join([SIX[0], SIX[1][:-1], *SIX[2:]]), encoding="utf-8")
        with pytest.raises(DocumentError) as error:
            fewest.load(path)
        (said,) = error.value.diagnostics
        assert (said.code, said.line) == ("level-line", line)
        assert said.message == "this row has 5 characters, but most rows of the board have 6"


@pytest.mark.parametrize("name", ["x.rush", "x.txt", "x"])
def test_a_board_of_the_wrong_length_is_located(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(f"; boards\n12 {DATABASE[3:38]}\n{DATABASE}\n", encoding="utf-8")
    with pytest.raises(DocumentError) as error:
        fewest.load(f"{path}:1")
    (said,) = error.value.diagnostics
    assert (said.line, said.column, said.message) == (2, 4, "this board has 35 characters")
    assert fewest.load(f"{path}:2").solve("slides").cost == 60


def test_a_drawing_with_a_car_that_is_none_is_no_rush_hour_board(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text(NO_RED_CAR.replace("BB..\n", "B.B.\n"), encoding="utf-8")
    with pytest.raises(DocumentError, match="unknown-format"):
        fewest.load(path)


BOTH_KLOTSKI = "A..A\n.CC.\n.CC.\nBB..\n...B\n"  # two pieces may have the same letter


def test_pieces_with_the_same_letter_remain_separate(tmp_path: Path) -> None:
    path = tmp_path / "it.yaml"
    path.write_text(written({"puzzle": "it", "model": "klotski", "board": BOTH_KLOTSKI}))
    (text,) = convert(str(path), "klotski").values()
    (level,) = parse_collection(Source("it.klotski", text)).levels
    again = fewest.load({"puzzle": "it", "model": "klotski", "board": "\n".join(level.rows) + "\n"})
    check_same_start(fewest.load(path).puzzle, again.puzzle)


@pytest.mark.parametrize(
    ("to", "model", "board", "goal"),
    [
        ("klotski", "klotski", "....\n.CC.\n.CC.\n....\nAB..\n", "CC..\nCC..\n....\n....\n....\n"),
        ("klotski", "klotski", "CC..\nCC..\nAAA.\n.#..\n....\n....\n", ""),
        ("klotski", "klotski", "CC..\nCC..\nAAA.\n....\n....\n", ""),
        ("rush", "rush-hour", "oo..\nXX.x\n...x\n....\n", ""),
        ("rush", "rush-hour", "11..\nXX.2\n...2\n....\n", ""),
        ("rush", "rush-hour", "....\nXX.C\n...C\n....\n", "....\n..XX\n...C\n...C\n"),
        ("tiles", "tiles", "_A\n32\n", "A_\n32\n"),
        ("tiles", "tiles", "_1\n32\n#4\n", "1_\n32\n#4\n"),
        ("xsb", "sokoban-pairs", "#####\n#@$.#\n#   #\n#####\n", "#####\n# $.#\n#@  #\n#####\n"),
    ],
)
def test_a_puzzle_that_a_format_cannot_represent_is_refused(
    to: str, model: str, board: str, goal: str, tmp_path: Path
) -> None:
    path = tmp_path / "it.yaml"
    wanted = {"goal": {"board": goal}} if goal else {}
    path.write_text(written({"puzzle": "it", "model": model, "board": board, **wanted}))
    with pytest.raises(UsageError):
        convert(str(path), to)


def test_an_inherited_goal_is_written(tmp_path: Path) -> None:
    first = {
        "puzzle": "first",
        "model": "tiles",
        "board": "_1\n32\n",
        "goal": {"board": "1_\n32\n"},
    }
    (tmp_path / "first.yaml").write_text(written(first))
    path = tmp_path / "it.yaml"
    path.write_text(written({"puzzle": "it", "extends": "first.yaml", "board": "1_\n32\n"}))
    (text,) = convert(str(path), "tiles").values()
    (level,) = parse_collection(Source("it.tiles", text)).levels
    assert level.goal == ("1_", "32")


def test_a_title_that_begins_with_a_digit_is_not_a_number_of_positions(tmp_path: Path) -> None:
    path = tmp_path / "it.yaml"
    board = "....\nXX.C\n...C\n....\n"
    path.write_text(written({"puzzle": "it", "model": "rush-hour", "title": "40", "board": board}))
    (text,) = convert(str(path), "rush").values()
    (level,) = parse_collection(Source("it.rush", text)).levels
    assert (level.rows, level.expect) == (tuple(board.split()), {})
