"""Boards of DriftingDroids are read and written; the minima equal those of its solver, and a published plan is
found."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode

import pytest

import fewest
from fewest.errors import DocumentError, Source
from fewest.formats.collection import Collection, document
from fewest.formats.registry import READERS, parse_collection, read_collection
from fewest.model.position import start
from fewest.playing.rules import is_goal, legal_moves
from tests.helpers.command_line import run

SHIPPED = "game-ids.droids"
MINIMA = {  # from the solver of DriftingDroids 1.3.10
    "0765+43+2E21BD0F+36": 5,
    "0765+43+A0F31B5C+36": 8,
    "0765+42+1022B4C8+93": 13,
    "7650+42+10A3F05A+C9": 15,
}
# The dump that DriftingDroids makes of its game ID 0765+42+2E21BD0F+93. The program's file
# fotos/hard_ricochet_robots_problem_24moves.txt quotes the plan of 24 moves from thread 308557 of boardgamegeek.com.
HARD = (
    "!DriftingDroids_game!5A3BF5A6!AAAEj3ja5VS7DQIxDH0v4VMCEiXNLUB5YhVqSsZhCRagvCEoWYCSFcC2iLg4iUR/luzYzy+2o0QB"
    "gLXqTMxetBMdRFdYLuZ0IjjMpDUFVfkxGzQSBYUZ7nllzALnP7O5Q7Q20BPzOfPuKSIrs+UxMW7sajMVqMVsTudOwUp/VvijHXTg5O6bxYOf"
    "9gMQ2Yhuzess3cco9hSC/Rfq76j+OWr2qC4Ob/1NXlbiYXWGoMxr1PRdXVyCJm5Q5Mn4RT5E1AwX!"
)
PLAN = (
    "R right, R down, R left, R down, R right, Y down, Y left, G down, B down, B left, B up, B right, B down, B left, "
    "B down, Y down, R left, B up, G up, G left, G down, B left, B down, B right"
)


def parsed(text: str, name: str = "x.droids") -> Collection:
    return parse_collection(Source(name, text))


@pytest.mark.parametrize(
    "title",
    [
        pytest.param(title, marks=[pytest.mark.slow] if minimum == 15 else [])
        for title, minimum in MINIMA.items()
    ],
)
def test_boards_have_the_minima_of_its_own_solver(title: str) -> None:
    assert fewest.load(f"{SHIPPED}:{title}").solve(engine="astar").cost == MINIMA[title]


def test_the_published_plan_of_a_hard_board_is_a_plan() -> None:
    collection = parsed(f"hard\n{HARD}\n")
    puzzle = fewest.load("x.yaml", text=document(collection, collection.level("hard"))).puzzle
    cells = {piece.label: piece.anchor for piece in puzzle.pieces}
    position = start(puzzle)
    for step in PLAN.split(", "):
        robot, direction = step.split()
        assert not is_goal(position)
        (move,) = (
            move
            for move in legal_moves(position)
            if move.shown_direction is not None
            and move.shown_direction.name == direction
            and move.moved[0][0][1] == cells[robot]
        )
        cells[robot] = move.moved[0][1][1]
        position = move.target
    assert is_goal(position)


def test_written_files_are_read_back_and_recognised() -> None:
    first = read_collection(SHIPPED)
    text = READERS["droids"].reader.write(first)
    assert [name for name, row in READERS.items() if row.reader.recognises(text)] == ["droids"]
    for name in ("x.droids", "x.txt", "x.dat"):
        again = parsed(text, name)
        assert [(x.rows, x.keys, x.title) for x in again.levels] == [
            (x.rows, x.keys, x.title) for x in first.levels
        ]
    assert (again.title, again.notes) == (first.title, first.notes) and first.notes


def test_line_breaks_within_a_row_have_no_meaning() -> None:
    broken = "\n".join(HARD[at : at + 60] for at in range(0, len(HARD), 60))
    assert parsed(broken).levels[0].rows == parsed(HARD).levels[0].rows


def data_of(text: str) -> bytes:
    return zlib.decompress(b64decode(text.split("!")[3])[4:])


def dump(data: bytes, length: int | None = None) -> str:
    """The text of some data, with a correct checksum."""
    size = (len(data) if length is None else length).to_bytes(4, "big")
    packed = b64encode(size + zlib.compress(data)).decode()
    return f"!DriftingDroids_game!{zlib.crc32(packed.encode()):08X}!{packed}!"


def test_any_robot_may_be_the_one_and_walls_may_stop_from_one_side_only() -> None:
    data = bytearray(data_of(HARD))
    data[-3] = 255  # the number of the robot in the goal
    data[-7:-3] = (8).to_bytes(4, "big")  # the cell of the goal, which is a few moves away
    walls = 9 + 1 + 4 * 4 + 4
    east, west = walls + 256, walls + 3 * 256
    data[east + 5 * 16 + 4] = 1  # a wall to the right of this cell only
    data[west + 6 * 16 + 8] = 1  # a wall to the left of this cell only
    collection = parsed(dump(bytes(data)))
    (level,) = collection.levels
    assert level.rows[11][10] == "<" and level.rows[13][16] == ">"
    assert level.keys["goal"] == {"any": [{robot: {"at": [0, 8]}} for robot in "RGBY"]}
    compiled = fewest.load("x.yaml", text=document(collection, level))
    assert compiled.solve(engine="astar").status == "optimal"
    again = parsed(READERS["droids"].reader.write(collection))
    assert (again.levels[0].rows, again.levels[0].keys) == (level.rows, level.keys)


def test_texts_that_were_changed_or_cut_are_refused() -> None:
    data = data_of(HARD)
    wrong = [
        HARD.replace("5A3BF5A6", "5A3BF5A7"),
        HARD.replace("AAAEj3", "AAAEj4"),
        "!DriftingDroids_game!zz!????!",
        "!DriftingDroids_game!!!",
        dump(data, 17),
        dump(data[:500]),
        dump(b"\x01" + data[1:]),
        dump(data[:1] + b"\xff\xff\xff\xff" + data[5:]),
        dump(data[:9] + b"\x00" + data[10:]),
        dump(data[:-7] + b"\xff\xff\xff\xff" + data[-3:]),
        dump(data[:10] + data[14:18] + data[14:]),  # two robots in one cell
        dump(b"\0" * 10_000_000),
    ]
    for text in wrong:
        with pytest.raises(DocumentError) as error:
            parsed(f"\n{text}\n")
        assert [(mistake.code, mistake.line) for mistake in error.value.diagnostics] == [
            ("level-line", 2)
        ]
    good = parsed(f"{wrong[0]}\n{HARD}\n")
    assert [len(level.mistakes) for level in good.levels] == [1, 0]


def test_a_puzzle_with_thin_walls_is_no_dump_unless_it_is_a_level() -> None:
    done = run("convert", "ricochet-small", "--to", "droids")
    assert done.returncode == 2 and "lines between its cells" in done.stderr
    assert run("convert", f"{SHIPPED}:1", "--to", "droids").stdout.count("!") == 4
