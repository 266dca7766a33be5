"""Whole Sokoban collections are read, written and solved; solutions in LURD are read and replayed."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fewest
from fewest.commands.explanation import why_unsolvable
from fewest.commands.sweep import SweepFile, levels, sweep
from fewest.errors import DocumentError, NotFoundError, Report, Source, UsageError
from fewest.formats.collection import Collection, Level, document
from fewest.formats.registry import READERS as ALL_READERS
from fewest.formats.registry import parse_collection, read_collection, split_reference
from fewest.formats.sokoban.levels import MODEL
from fewest.formats.sokoban.lurd import agent, lurd, unpacked, verify
from fewest.machine.resources import puzzle_folder
from tests.helpers.command_line import run

READERS = {name: row for name, row in ALL_READERS.items() if row.reader.MODEL == MODEL}
ROOM = ("#####", "#@$.#", "#####")
METRICS = ("pushes", "moves", "pushes-then-moves", "moves-then-pushes", "lines")


def parsed(text: str, name: str = "levels.xsb") -> Collection:
    return parse_collection(Source(name, text))


def known() -> dict[int, dict[str, str]]:
    """The published minima of Microban."""
    lines = (puzzle_folder() / "sokoban" / "microban.tsv").read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader(lines[1:], delimiter="\t")
    return {int(row["level"]): row for row in rows}


def test_microban_has_its_155_levels() -> None:
    collection = read_collection("microban.xsb")
    assert (len(collection.levels), collection.title) == (155, "Microban")
    assert collection.author == "David W. Skinner"
    assert collection.level("44").title == "Duh!" and collection.level("duh!").number == 44
    assert set(known()) == set(range(1, 156))


@pytest.mark.parametrize("name", READERS)
def test_written_files_are_read_back(name: str) -> None:
    first = read_collection("microban.xsb")
    again = parsed(READERS[name].reader.write(first), f"a.{name}")
    assert [(x.rows, x.title, x.author, x.number) for x in again.levels] == [
        (x.rows, x.title, x.author, x.number) for x in first.levels
    ]
    assert (again.title, again.author) == (first.title, first.author)


@given(st.lists(st.text("#@+$*. ", min_size=1, max_size=8), min_size=1, max_size=6))
def test_any_drawing_survives_both_formats(rows: list[str]) -> None:
    width = max(map(len, rows)) + 2
    closed = ["#" * width, *(f"#{row.ljust(width - 2)}#" for row in rows), "#" * width]
    drawn = Collection("x", MODEL, (Level(1, "", tuple(closed)),))
    for name, row in READERS.items():
        found = row.reader.read(Source(f"x.{name}", row.reader.write(drawn)), Report())
        assert [level.rows for level in found.levels] == [tuple(closed)]


def test_titles_authors_and_comments_can_be_before_and_after_a_level() -> None:
    text = (
        "Collection: Rooms\nAuthor: Somebody\n\n; one\n\n" + "\n".join(ROOM) + "\nAuthor: Another\n"
        "Comment:\nlong and\nwide\nComment-End:\n\nLast Room\n" + "\r\n".join(ROOM) + "\r\n"
        "Title: Named\nSolution: R\nR\n"
    )
    first, second = parsed(text).levels
    assert (first.title, first.author, first.notes) == ("one", "Another", "long and wide")
    assert (second.title, second.author, second.rows) == ("Named", "", ROOM)
    assert parsed(text).title == "Rooms" and parsed(text).author == "Somebody"


def test_run_lengths_and_other_writings_are_read() -> None:
    assert parsed("5#|#@$.#|5#").levels[0].rows == ROOM
    assert parsed("5#\n#pb.#\n5#").levels[0].rows == ROOM
    assert parsed("6#\n#@2($)2.#\n6#").levels[0].rows[1] == "#@$$..#"
    assert parsed("#####\n#@$.#\n#-_ #\n#####").levels[0].rows[2] == "#   #"
    indented = ("  ####", "###@ #", "# $. #", "######")
    assert parsed("  4#\n###@ #\n# $. #\n6#").levels[0].rows == indented
    assert parsed("  4#|3#@-#| #$.-#|6#").levels[0].rows[0] == indented[0]
    assert parsed("  5#|#@$.#|5#").levels[0].rows == ROOM  # only the line is indented


def test_the_content_of_a_file_determines_its_format_if_the_suffix_is_wrong() -> None:
    drawn = Collection("x", MODEL, (Level(1, "One", ROOM),))
    for writer in READERS.values():
        text = writer.reader.write(drawn)
        assert [name for name, row in READERS.items() if row.reader.recognises(text)] == [
            name for name, row in READERS.items() if row is writer
        ]
        for suffix in (suffix for row in READERS.values() for suffix in row.suffixes):
            assert [level.rows for level in parsed(text, f"x{suffix}").levels] == [ROOM]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("", ["level-missing"]),
        ("#####\n#@$ #\n#####\n\n#####\n# $.#\n#####\n", ["level-boxes", "level-player"]),
        ("####\n#@?#\n####\n", ["level-boxes", "level-character", "level-player"]),
        ("####\n#@$. \n#####\n", ["level-open"]),
        ("9999999#@$.#", ["level-missing", "level-run"]),
        ("9000(9000(#))\n#@$.#", ["level-open", "level-run"]),
    ],
)
def test_mistakes_are_all_reported_with_their_places(text: str, codes: list[str]) -> None:
    with pytest.raises(DocumentError) as error:
        parsed(text)
    found = {diagnostic.code for diagnostic in error.value.diagnostics}
    assert found <= set(codes) and found
    assert all(diagnostic.line >= 1 for diagnostic in error.value.diagnostics)


MIXED = "#####\n#@$.#\n#####\n\n#####\n#@$@#\n#####\n\n####\n#@?#\n####\n\n#####\n#.$@#\n#####\n"


@pytest.mark.parametrize("suffix", ["xsb", "slc"])
def test_a_level_with_a_mistake_does_not_refuse_its_collection(suffix: str, tmp_path: Path) -> None:
    text = MIXED
    if suffix == "slc":
        blocks = (block.splitlines() for block in MIXED.strip().split("\n\n"))
        levels = ("".join(f"<L>{row}</L>" for row in block) for block in blocks)
        text = "\n".join(
            ["<SokobanLevels><LevelCollection>", *map("<Level>{}</Level>".format, levels)]
        )
        text += "</LevelCollection></SokobanLevels>"
    file = tmp_path / f"mixed.{suffix}"
    file.write_text(text)
    codes = [{found.code for found in level.mistakes} for level in parsed(text, file.name).levels]
    assert codes[0] == codes[3] == set()
    assert codes[1] == {"level-player", "level-boxes"} and "level-character" in codes[2]
    for number, is_sound in enumerate((True, False, False, True), 1):
        if is_sound:
            assert fewest.load(f"{file}:{number}").solve().cost == 1
        else:
            with pytest.raises(DocumentError):
                fewest.load(f"{file}:{number}")
    done = run("solve", str(file), "--json")
    assert done.returncode == 3
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted((row["level"], row["status"], row["cost"]) for row in rows) == [
        (1, "optimal", 1),
        (2, "invalid", None),
        (3, "invalid", None),
        (4, "optimal", 1),
    ]


def test_an_unknown_letter_in_one_of_several_levels_is_located(tmp_path: Path) -> None:
    file = tmp_path / "two.xsb"
    file.write_text("; a\n#####\n#@$z.#\n#####\n\n; b\n#####\n#@$.#\n#####\n", encoding="utf-8")
    place = f"{file}:3:4: `z` has no meaning in a level"
    table = run("solve", str(file))
    assert f"level-character: {place}" in table.stdout and table.returncode == 3
    rows = [json.loads(line) for line in run("solve", str(file), "--json").stdout.splitlines()]
    assert {row["level"]: row["error"] for row in rows} == {1: place, 2: None}


def test_a_reference_names_a_level_and_a_file_may_have_a_colon(tmp_path: Path) -> None:
    assert split_reference("a.xsb:7") == ("a.xsb", "7")
    assert split_reference("hanoi") == ("hanoi", None)
    odd = tmp_path / "a.xsb:7"
    odd.write_text("\n".join(ROOM))
    assert split_reference(str(odd)) == (str(odd), None)
    one = tmp_path / "one.xsb"
    one.write_text("\n".join(ROOM), encoding="latin-1")
    assert fewest.load(one).solve().cost == 1
    with pytest.raises(NotFoundError, match="no level `2`"):
        fewest.load(f"{one}:2")
    with pytest.raises(UsageError, match="has 155 levels"):
        fewest.load("microban.xsb")


def test_a_level_becomes_a_puzzle_document() -> None:
    collection = read_collection("microban.xsb")
    compiled = fewest.load("x.yaml", text=document(collection, collection.level("3")))
    assert compiled.puzzle.name == "microban-003" and compiled.puzzle.title == "Microban 3"
    assert compiled.puzzle.source == "David W. Skinner, Microban, level 3"
    assert compiled.solve("pushes").cost == int(known()[3]["min_pushes"])


@pytest.mark.parametrize("number", [1, 2, 3, 4, 8, 11])
def test_all_five_metrics_have_the_published_minima(number: int) -> None:
    compiled, row = fewest.load(f"microban.xsb:{number}"), known()[number]
    pushes, moves = int(row["min_pushes"]), int(row["min_moves"])
    expected = {
        "pushes": pushes,
        "moves": moves,
        "pushes-then-moves": (pushes, int(row["moves_at_min_pushes"])),
        "moves-then-pushes": (moves, int(row["pushes_at_min_moves"])),
    }
    for metric in METRICS:
        result = compiled.solve(metric)
        assert result.status == "optimal" and result.plan is not None
        assert result.cost == expected.get(metric, result.cost)
        letters = lurd(result.plan)
        assert letters is not None
        verdict = verify(compiled.puzzle, letters)
        assert verdict.is_solution
        cost = verdict.costs[metric]
        assert cost == ((result.cost,) if isinstance(result.cost, int) else result.cost)


def test_box_lines_equal_the_count_of_the_reference() -> None:
    from fewest.playing.exhaust import exhaust

    for ref in ("microban.xsb:44", "microban.xsb:1"):
        compiled = fewest.load(ref)
        reach = exhaust(compiled.puzzle, compiled.puzzle.metrics["lines"])
        assert reach.minimum is not None and (compiled.solve("lines").cost,) == reach.minimum


def test_letters_are_only_for_an_agent() -> None:
    assert agent(fewest.load("hanoi").puzzle) is None
    assert agent(fewest.load("hardest-6x6").puzzle) is None
    assert agent(fewest.load("pull-home").puzzle) is not None
    with pytest.raises(UsageError, match="no piece is the agent"):
        verify(fewest.load("hanoi").puzzle, "l")


@pytest.mark.parametrize("name", ["microban-001", "pull-home", "double-push"])
def test_variants_also_have_plans_in_lurd(name: str) -> None:
    compiled = fewest.load(name)
    plan = compiled.solve().plan
    assert plan is not None
    letters = lurd(plan)
    assert letters is not None and verify(compiled.puzzle, letters).is_solution


def test_run_lengths_in_lurd_are_unpacked() -> None:
    assert unpacked("3r2(uL) d") == "rrruLuLd"
    for text in ("x", "2(u", "u)", "u3", "9999999(9999999u)"):
        with pytest.raises(UsageError):
            unpacked(text)


def test_a_wrong_solution_is_reported_where_it_fails() -> None:
    puzzle = fewest.load("microban-001").puzzle
    blocked = verify(puzzle, "uuuu")
    assert (blocked.moves, blocked.problem) == (2, "letter 3, `u`: the way is blocked")
    assert "not a goal position" in verify(puzzle, "").problem


def test_a_collection_is_solved_and_resumed(tmp_path: Path) -> None:
    path = tmp_path / "rooms.xsb"
    path.write_text("\n\n".join(["\n".join(ROOM), "#####\n#@ $#\n# . #\n#####", "\n".join(ROOM)]))
    file = tmp_path / "results.jsonl"
    for _ in range(2):
        with SweepFile(file) as records:
            done = sweep(levels(read_collection(str(path))), jobs=2, file=records, in_order=False)
        assert [member.status for member in done.members] == ["optimal", "unsolvable", "optimal"]
        assert [member.lurd for member in done.members] == ["R", None, "R"]
        assert [bool(member.argument) for member in done.members] == [False, True, False]
    assert len(file.read_text().splitlines()) == 3


def test_the_line_of_an_unsolvable_level_gives_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "rooms.xsb"
    path.write_text("\n\n".join(["\n".join(ROOM), "#####\n#@ $#\n# . #\n#####"]))
    compiled = fewest.load(f"{path}:2")
    argument = why_unsolvable(compiled.puzzle, compiled.grounded)
    assert argument
    lines = run("solve", str(path)).stdout.splitlines()
    assert lines[2].endswith(f"why: {argument}") and "why" not in lines[1]


def test_the_command_line_takes_collections(tmp_path: Path) -> None:
    path = tmp_path / "rooms.xsb"
    path.write_text("\n".join(ROOM) + "\n\n" + "\n".join(ROOM) + "\nTitle: again\n")
    done = run("solve", str(path))
    assert done.returncode == 0 and "2 levels: 2 proven minimal" in done.stdout
    lines = [json.loads(line) for line in run("solve", str(path), "--json").stdout.splitlines()]
    assert [(line["level"], line["cost"], line["lurd"]) for line in lines] == [
        (1, 1, "R"),
        (2, 1, "R"),
    ]
    assert run("solve", str(path), "--level", "again", "--lurd").stdout.splitlines()[1] == "R"
    assert run("verify", f"{path}:1", "--lurd", "R").returncode == 0
    assert run("verify", f"{path}:1", "--lurd", "L").returncode == 1
    assert run("solve", "hanoi", "--level", "1").returncode == 2
    assert run("solve", "hanoi", "--lurd").returncode == 2
    assert run("solve", str(path), "--show").returncode == 2
    slc_file, folder = tmp_path / "rooms.slc", tmp_path / "rooms"
    assert run("convert", str(path), "-o", str(slc_file)).returncode == 0
    assert run("show", str(slc_file), "--level", "again").stdout.splitlines()[1:4] == list(ROOM)
    assert run("convert", str(path), "--to", "yaml", "-o", str(folder)).returncode == 0
    assert run("check", str(folder)).returncode == 0
    assert run("convert", str(path)).returncode == 2
    assert "/dev/full" in run("convert", str(path), "-o", "/dev/full/x.xsb").stderr


def test_a_puzzle_with_the_rules_of_a_format_is_converted_like_its_level() -> None:
    done = run("convert", "microban-001", "--to", "xsb")
    board = "\n".join(line for line in done.stdout.splitlines() if line.startswith("#"))
    assert board == "######\n# .###\n#  ###\n#*@  #\n#  $ #\n#  ###\n######"


@pytest.mark.parametrize(
    ("puzzle", "to", "message", "hint"),
    [
        ("jugs", "xsb", "`jugs` has its own rules", "only puzzles with the rules of"),
        ("jugs", "yaml", "`jugs` is already a puzzle document", "prevent its conversion"),
        ("bird", "xsb", "levels of rush-hour, which the format xsb cannot represent", "of: rush\n"),
        ("bird", "yaml", "`bird` is already a puzzle document", "give --to with one of: rush\n"),
        ("microban-001", "yaml", "is already a puzzle document", "with one of: xsb, slc\n"),
        ("no-such-puzzle", "yaml", "there is no puzzle or file", "hint: "),
    ],
)
def test_a_puzzle_that_is_no_level_is_refused(
    puzzle: str, to: str, message: str, hint: str
) -> None:
    done = run("convert", puzzle, "--to", to)
    assert done.returncode in (2, 3) and message in done.stderr
    assert hint in done.stderr


def test_only_the_unknown_letter_of_a_row_is_reported_at_its_location() -> None:
    for text, line, column in (
        ("######\n#@$ .#\n#  x #\n######\n", 3, 4),
        ("###x##\n#@$ .#\n######\n", 1, 4),
        ("  ######\n  #@$ .#\n  #  x #\n  ######\n", 3, 6),
        ("######\n#@$ .#\nx    #\n######\n", 3, 1),
        ("#####\n#@$.#\n#   x\n#####\n", 3, 5),
        ("#####\n#@xxx#\n# $.#\n#####\n", 2, 3),
        ("#####\n#@$.#\n x  #\n ####\n", 3, 2),
        ("#####|#@$.#|#x #|####\n", 1, 14),
        ("3#x#|#@$.#|#  #|####\n", 1, 3),
    ):
        with pytest.raises(DocumentError) as error:
            parsed(text)
        (mistake,) = error.value.diagnostics
        assert (mistake.code, mistake.line, mistake.column) == ("level-character", line, column)
        assert "`x`" in mistake.message


def test_a_title_between_two_levels_is_no_row() -> None:
    level = "#####\n#@$.#\n#####\n"
    for title in ("Level #2", "# Two rooms #", "#Two"):
        first, second = parsed(f"{level}{title}\n{level}").levels
        assert len(first.rows) == len(second.rows) == 3
        assert second.title == title


def test_an_unknown_letter_in_xml_is_reported_at_its_location() -> None:
    text = """<SokobanLevels><LevelCollection>
<Level Id="é"><L>#####</L>
  <L a="b">#@$.#</L><L>#x y#</L>
<L>##&#63;##</L></Level></LevelCollection></SokobanLevels>
"""
    with pytest.raises(DocumentError) as error:
        parse_collection(Source("x.slc", text))
    places = [
        (mistake.line, mistake.column, mistake.message[:3]) for mistake in error.value.diagnostics
    ]
    assert places == [(3, 25, "`x`"), (3, 27, "`y`"), (4, 1, "`?`")]


def test_tabs_are_blanks() -> None:
    (level,) = parsed("######\n#@$\t.#\n######\n").levels
    assert level.rows[1] == "#@$ .#"
    assert level.remark == "a tab within line 2 is read as one blank"
    (level,) = parsed("\t####\n        #@$#\n\t# .#\n\t####\n").levels
    assert [row.index("#") for row in level.rows] == [8] * 4 and not level.remark


def test_headers_of_mazes_are_titles() -> None:
    ruler = "*" * 13
    head = f"{ruler}\nMaze: {{}}\nFile offset: 148C\nSize X: 5\n\n"
    text = "".join(head.format(n) + "\n".join(ROOM) + "\n\n" for n in (1, 2))
    assert [level.title for level in parsed(text, "x.txt").levels] == ["Maze: 1", "Maze: 2"]
    assert [level.rows for level in parsed(text, "x.txt").levels] == [ROOM, ROOM]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_files_with_a_byte_order_mark_are_read(encoding: str, tmp_path: Path) -> None:
    mark = "\ufeff" if encoding.endswith(("le", "be")) else ""
    path = tmp_path / "room.xsb"
    path.write_bytes((mark + "\r\n".join(ROOM) + "\r\nTitle: Über\r\n").encode(encoding))
    (level,) = read_collection(str(path)).levels
    assert (level.rows, level.title) == (ROOM, "Über")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_files_of_utf_16_without_a_byte_order_mark_are_read(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "room.xsb"
    path.write_bytes(("\r\n".join(ROOM) + "\r\nTitle: Über\r\n").encode(encoding))
    (level,) = read_collection(str(path)).levels
    assert (level.rows, level.title) == (ROOM, "Über")


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "utf-8"])
def test_xml_is_read_in_the_encoding_that_it_names(encoding: str, tmp_path: Path) -> None:
    levels = '<Level Id="\xe9t\xe9"><L>#####</L><L>#@$.#</L><L>#####</L></Level>'
    text = f"<SokobanLevels><LevelCollection>{levels}</LevelCollection></SokobanLevels>"
    file = tmp_path / "x.slc"
    file.write_bytes(f'<?xml version="1.0" encoding="{encoding}"?>{text}'.encode(encoding))
    assert [level.title for level in read_collection(str(file)).levels] == ["\xe9t\xe9"]


def test_a_letter_can_mean_moves_of_several_rules() -> None:
    kick = """
puzzle: kick
board: |
  @$...
legend: {".": floor, "@": agent, "$": box}
pieces: {agent: {}, box: {}}
moves:
  walk: {before: [agent, empty], after: [empty, agent]}
  push: {before: [agent, box, empty], after: [empty, agent, box]}
  kick: {before: [agent, box, empty, empty], after: [empty, agent, empty, box]}
goal: {box: {at: [0, 2]}}
"""
    compiled = fewest.load("kick.yaml", text=kick)
    plan = compiled.solve().plan
    assert plan is not None and lurd(plan) == "R"
    assert not verify(compiled.puzzle, "R").problem
    assert "not a goal position" in verify(compiled.puzzle, "RR").problem
    assert "letter 1, `L`" in verify(compiled.puzzle, "L").problem
