"""Boards of other sizes, with titles, or drawn on several lines are read, solved and written."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

import fewest
from fewest.commands.convert import convert
from fewest.commands.sweep import SweepFile, levels, sweep
from fewest.errors import Source, UsageError
from fewest.formats.collection import Collection, document
from fewest.formats.plain import written
from fewest.formats.registry import READERS, parse_collection, read_collection
from fewest.formats.stand_alone import check_same_start
from tests.formats.lines.line_cases import DATABASE, SIX, parsed
from tests.helpers.command_line import run


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
    assert first.rows == SIX
    assert second.rows == tuple(row.replace("r", "X") for row in SIX)
    assert (first.title, second.title, first.line, second.line) == ("Level 1", "", 2, 10)
    assert (first.remark, second.remark) == ("the red car is r", "the red car is X")


def test_the_red_car_is_horizontal() -> None:
    # X is vertical, so r is the red car.
    rows = ("X.....", "X..AA.", "rr....", "......", "......", "......")
    (level,) = parsed("\n".join(rows), "x.rush").levels
    assert level.rows == rows
    assert level.remark == "the red car is r"
    again = parsed(READERS["rush"].reader.write(parsed("\n".join(rows), "x.rush")), "x.rush")
    assert again.levels[0].rows == level.rows


@pytest.mark.parametrize("red", ["A", "r"])
def test_plans_and_pictures_have_the_letters_of_the_file(red: str, tmp_path: Path) -> None:
    rows = ("ooBBoo", "ooCooo", f"{red}{red}Cooo", "oooXoo", "oooXoo", "oooooo")
    path = tmp_path / "x.rush"
    path.write_text("\n".join(rows), encoding="utf-8")
    compiled = fewest.load(path)
    assert compiled.solve().plan.moves[-1].text == f"{red} →"
    assert "\n".join(rows).replace("o", ".") in run("show", str(path)).stdout
    # a document that is made from the file can be converted back
    (text,) = convert(str(path), "yaml").values()
    (tmp_path / "x.yaml").write_text(text, encoding="utf-8")
    assert "".join(rows) in convert(str(tmp_path / "x.yaml"), "rush")[""]


@pytest.mark.parametrize(
    ("car", "goal", "refusal"),
    [
        ("X", "{X: {touches: right}}", None),
        ("C", "{B: {touches: right}}", None),
        ("X", "{B: {touches: right}}", "cannot represent"),  # X would be the red car
        ("X", "{X: {touches: left}}", "has its own rules"),
        ("X", "{X: {touches: right}, B: {touches: right}}", "has its own rules"),
        ("X", "{all: [{X: {touches: right}}]}", "has its own rules"),
    ],
)
def test_only_the_goal_of_one_car_at_the_right_edge_is_written(
    car: str, goal: str, refusal: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "x.yaml"
    board = f"board: |\n  {car}{car}..\n  BB..\n  ....\n  ....\n"
    path.write_text(f"puzzle: x\nmodel: rush-hour\n{board}goal: {goal}\n", encoding="utf-8")
    if refusal is None:
        assert "AA" in convert(str(path), "rush")[""]
    else:
        with pytest.raises(UsageError, match=refusal):
            convert(str(path), "rush")


def test_boards_that_are_no_squares_survive_with_their_titles() -> None:
    text = "wide:\n......\nrr.BB.\n..#...\n...CC.\n"
    (level,) = parsed(text, "x.rush").levels
    (again,) = parsed(READERS["rush"].reader.write(parsed(text, "x.rush")), "x.rush").levels
    assert (again.rows, again.title) == (level.rows, level.title) and level.title == "wide"


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
    assert (level.rows, level.expect) == (tuple(board.replace("X", "A").split()), {})


def test_a_file_of_one_board_can_be_converted_into_a_folder(tmp_path: Path) -> None:
    (tmp_path / "one.rush").write_text("....\n....\nXX..\n....\n")
    done = run("convert", str(tmp_path / "one.rush"), "--to", "yaml", "-o", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "one.yaml").read_text().startswith("puzzle:")
