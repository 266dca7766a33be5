"""Mistakes in files with one board in each line are located, and files of another format are refused."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import fewest
from fewest.cli.convert import FORMATS as OFFERED
from fewest.commands.convert import FORMATS, convert
from fewest.errors import DocumentError, UsageError
from fewest.formats.collection import document
from fewest.formats.registry import READERS, is_collection
from fewest.machine.resources import puzzles
from tests.formats.lines.line_cases import DATABASE, SIX, parsed
from tests.helpers.command_line import run

KORF = "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3"


def mistakes(text: str, name: str) -> list[tuple[str, int]]:
    """The code and line of each mistake: in the levels, or in a text that is refused as a whole."""
    try:
        found = [of_it for level in parsed(text, name).levels for of_it in level.mistakes]
    except DocumentError as error:
        found = list(error.diagnostics)
    return [(diagnostic.code, diagnostic.line) for diagnostic in found]


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


def test_all_wrong_lines_are_reported_together_and_so_is_an_empty_file() -> None:
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
def test_an_unknown_character_is_reported_at_its_location(
    name: str, text: str, line: int, column: int, character: str
) -> None:
    try:
        found = [mistake for level in parsed(text, name).levels for mistake in level.mistakes]
    except DocumentError as error:
        found = list(error.diagnostics)
    reported = [
        mistake
        for mistake in found
        if f"`{character}` has no meaning in a board" in mistake.message
    ]
    assert [(mistake.line, mistake.column) for mistake in reported] == [(line, column)]
    assert {mistake.code for mistake in found} == {"level-character"}


def test_an_unknown_character_below_a_line_of_the_size_is_the_only_mistake() -> None:
    wrong, right = "3 3\n1 2 3\n4 x 6\n7 8 0\n", "3 3\n1 2 3\n4 5 6\n7 8 0\n"
    first, second, third = parsed(f"{right}\n{wrong}\n{right}", "x.tiles").levels
    assert not first.mistakes
    assert [mistake.message for mistake in second.mistakes] == ["`x` has no meaning in a board"]
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
    (mistake,) = error.value.diagnostics
    assert mistake.code == "unknown-format" and mistake.hint is not None
    assert all(suffix in mistake.hint for row in READERS.values() for suffix in row.suffixes)


OTHER_TEXTS = {
    "a table": "a,b,c\n1,2,3\n4,5,6\n",
    "a table of two columns": "a,b\n0,1\n2,3\n",
    "a table with words": "id,1,2\n3,4,5\n6,7,8\n",
    "letters": "abcdefghijklmnop\n",
    "a word": "counterclockwise\n",
    "words": "carrot\napples\norange\nbanana\n",
    "a name": "my_error_handler_foo\n",
    "a ruler": f"{'-' * 16}\nsome text\n",
    "a heading": "Board of directors\nAda\n",
    "moves": "ULDRULDRULDRULDR\n",
    "a sequence": "AACCGGTTAACCGGTTAACCGGTTAACCGGTTAACC\n",
    "numbers": "12 15 18 20\n3 4 5 6\n",
    "a sequence of numbers": "1 2 3 4 5 6 7 8 9 10\n",
    "distances": "4\n0 2 3 4\n2 0 5 6\n3 5 0 7\n4 6 7 0\n",
    "a sudoku": "530070000\n600195000\n098000060\n",
    "hexadecimal digits": "deadbeef\ncafebabe\n",
    "serial numbers": "123456789 Bob\n555123456 Eve\n",
    "a pattern": ".#.\n..#\n###\n",
    "a labyrinth": "#####\n#S..#\n#..E#\n#####\n",
}


def messages(text: str, name: str) -> list[str]:
    with pytest.raises(DocumentError) as error:
        parsed(text, name)
    return [mistake.message for mistake in error.value.diagnostics]


@pytest.mark.parametrize("suffix", [".txt", ".csv", ""])
@pytest.mark.parametrize("name", OTHER_TEXTS)
def test_no_format_complains_about_another_text(name: str, suffix: str) -> None:
    message = "unknown format: this file is not in any of the supported level formats"
    assert messages(OTHER_TEXTS[name], f"x{suffix}") == [message]


def test_a_long_list_of_numbers_is_refused_at_once() -> None:
    began = time.process_time()
    assert messages("1 2 3 4 5 6\n" * 10_000, "x.txt")[0].startswith("unknown format")
    assert time.process_time() - began < 4  # it took 12 seconds


def test_a_suffix_is_enough_evidence() -> None:
    assert mistakes("abcdefghijklmnop\n", "x.rush")[0][0] == "level-line"
    assert mistakes("12 15 18 20\n", "x.tiles")[0][0] == "level-line"
    assert mistakes("123456789 Bob\n", "x.klotski")[0][0] == "level-line"
    assert mistakes("#####\n#S..#\n#####\n", "x.xsb")[0][0] != "unknown-format"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (DATABASE.replace("FF", "FE"), "the cells of `E` do not form a car"),
        (SIX[0] + "\n" + "\n".join(SIX[1:])[:-1] + "%\n", "`%` has no meaning in a board"),
        ("8 6 7 2 5 4 3 0 0\n", "the position does not contain each tile exactly once"),
        ("1A9BF0CFF\n", "`1A9BF0CFF` has more pieces than the board can hold"),
        ("#####\n#.$ #\n#####\n", "level 1 has no player"),
    ],
)
def test_a_mistake_in_a_level_is_reported_without_a_suffix(text: str, message: str) -> None:
    assert messages(text, "x.csv") == [message]


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
def test_a_drawing_without_a_red_car_is_reported(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    for title, line in (("", 1), ("A title of a board\n", 2)):
        path.write_text(f"; a comment\n\n{title}{NO_RED_CAR}", encoding="utf-8")
        with pytest.raises(DocumentError) as error:
            fewest.load(path)
        (mistake,) = error.value.diagnostics
        assert (mistake.code, mistake.line) == ("level-line", line + 2)
        assert mistake.message == "this Rush Hour board has no red car"
        assert mistake.expected is not None and "`A`, `X` or `r`" in mistake.expected
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
        (mistake,) = error.value.diagnostics
        assert (mistake.code, mistake.line) == ("level-line", line)
        assert mistake.message == "this row has 5 characters, but most rows of the board have 6"


@pytest.mark.parametrize("name", ["x.rush", "x.txt", "x"])
def test_a_board_of_the_wrong_length_is_located(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(f"; boards\n12 {DATABASE[3:38]}\n{DATABASE}\n", encoding="utf-8")
    with pytest.raises(DocumentError) as error:
        fewest.load(f"{path}:1")
    (mistake,) = error.value.diagnostics
    assert (mistake.line, mistake.column, mistake.message) == (2, 4, "this board has 35 characters")
    assert fewest.load(f"{path}:2").solve("slides").cost == 60


def test_a_drawing_with_a_car_that_is_none_is_no_rush_hour_board(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text(NO_RED_CAR.replace("BB..\n", "B.B.\n"), encoding="utf-8")
    with pytest.raises(DocumentError, match="unknown-format"):
        fewest.load(path)
