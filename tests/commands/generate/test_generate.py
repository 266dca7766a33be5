"""The counts of all boards of a spec equal those of boards explored one by one, and those of other programs."""

from __future__ import annotations

import errno
import json
from importlib.util import find_spec
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import fewest
from fewest.commands.generate import (
    Generation,
    checkpoint,
    exhaustive,
    generate,
)
from fewest.commands.generate.documents import document_at, records_of, write_documents
from fewest.commands.generate.drawing import drawing_of
from fewest.commands.generate.text import counts_by_minimum, heading
from fewest.commands.generate.universe import universe
from fewest.errors import DocumentError, FewestError, UsageError
from fewest.formats.plain import written
from fewest.formats.stand_alone import UndrawableError
from fewest.model.answer import Limits
from fewest.model.position import Position
from fewest.reading.board_spec import BoardSpec, load_board_spec, load_board_specs
from fewest.search.batches import Components, StateSet
from fewest.search.pure import batches as pure
from fewest.space.state_graph import sums_over_facts
from tests.helpers.agreement import compiled_or_none
from tests.helpers.command_line import run

JAMS = """
puzzle: jams
model: rush-hour
board: |
BOARD
stuck_lines: false
fill:
  X: {shape: "##", number: 1, rows: [EXIT]}
  A: {shape: "##", rows: OTHERS}
  B: {shape: "###", rows: OTHERS}
  C: {shape: "#\\n#"}
  D: {shape: "#\\n#\\n#"}
"""
SLIDING = """
puzzle: pairs
model: sliding-blocks
board: |
  ...
  ..#
goal: {X: {at: [0, 1]}}
fill:
  X: {shape: "#", number: 1}
  A: {shape: "##", number: [0, 1]}
  B: {shape: "#", number: [1, 2]}
"""


def jams(size: int, exit_row: int) -> str:
    board = "\n".join("  " + "." * size for _ in range(size))
    others = [row for row in range(size) if row != exit_row]
    text = JAMS.replace("BOARD", board).replace("EXIT", str(exit_row))
    return text.replace("OTHERS", str(others))


def generated(text: str, *metrics: str) -> Generation:
    return generate(load_board_spec("spec.yaml", text=text), metrics)


def test_boards_of_four_by_four_are_those_of_fogleman() -> None:
    found = generated(jams(4, 1), "slides", "steps")
    assert (found.num_boards, found.num_solvable) == (880, 493)
    slides, steps = found.metrics
    assert (slides.num_minimal, slides.num_first_minimal, slides.record) == (32, 32, 7)
    assert sum(count for _, count in slides.histogram) == found.num_solvable
    assert steps.record == 10
    for one in found.metrics:
        for position in one.best:
            board = "\n".join(drawing_of(position)) + "\n"
            document = {"puzzle": "it", "model": "rush-hour", "board": board}
            assert fewest.load(document).solve(one.metric).cost == one.record


@pytest.mark.slow
def test_boards_of_five_by_five_are_those_of_fogleman() -> None:
    found = generated(jams(5, 2), "slides", "steps")
    assert (found.num_positions, found.num_boards, found.num_solvable) == (6795364, 130299, 62106)
    slides, steps = found.metrics
    assert (slides.num_first_minimal, slides.record) == (1730, 20)
    assert (steps.minimum, steps.num_hardest) == (33, 2)
    assert found.num_canonical == 66563
    full = generated(jams(5, 2).replace("stuck_lines: false\n", ""), "steps")
    assert full.num_solvable_positions == 5842041


KINDS = """
puzzle: kinds
legend: {'.': floor}
pieces:
  car: {letters: CARS}
  red: {letters: x-z}
moves:
  s: {slide: red}
goal: {some: red, at: [0, 0]}
board: |
BOARD
fill:
  x: {shape: "##", number: REDS}
  FIRST: {shape: "#", number: OTHERS}
"""


def kinds(cars: str, size: tuple[int, int], reds: int, others: int) -> BoardSpec:
    rows = "\n".join("  " + "." * size[1] for _ in range(size[0]))
    text = KINDS.replace("CARS", cars).replace("FIRST", cars[0]).replace("BOARD", rows)
    text = text.replace("REDS", str(reds)).replace("OTHERS", str(others))
    return load_board_spec("spec.yaml", text=text)


def test_pieces_are_drawn_with_letters_of_their_kind(tmp_path: Path) -> None:
    spec = kinds("A-C", (2, 3), reds=2, others=1)
    found = generate(spec)
    (one,) = found.metrics
    assert {"".join(sorted("".join(drawing_of(board)))) for board in one.best} == {".Axxyy"}
    # each document is read and compared with its board
    assert len(list(write_documents(spec, records_of(found), tmp_path))) == len(one.best)


@pytest.mark.parametrize("cars", ["A-Z", "ABC", "αβγ"])
def test_a_board_with_more_pieces_than_letters(cars: str) -> None:
    spec = kinds(cars, (8, 8), reds=1, others=62)
    puzzle = universe(spec).puzzle
    long, short = sorted(puzzle.classes, key=lambda piece: piece.is_single_cell)
    full = frozenset([(long.id, 0), *((short.id, cell) for cell in range(2, 64))])
    # the document is read and compared with the board
    _, read = document_at(spec, Position(puzzle, full, ()), "it")
    assert len(read.puzzle.pieces) == 63


def test_a_board_that_the_letters_of_its_kinds_cannot_draw() -> None:
    spec = kinds("A", (2, 3), reds=1, others=2)
    (one,) = generate(spec).metrics
    touching = [board for board in one.best if "car" in " ".join(drawing_of(board))]
    assert 0 < len(touching) < len(one.best)
    with pytest.raises(UndrawableError):
        document_at(spec, touching[0], "it")


def test_boards_are_shown_as_they_come() -> None:
    spec, came = load_board_spec("spec.yaml", text=jams(4, 1)), []
    found = generate(spec, ["slides"], show=came.append)
    minima = [one.minimum for one in came]
    assert minima == sorted(minima)
    assert len(set(minima)) > 2
    best = [one.position for one in came if one.minimum == found.metrics[0].record]
    assert best == list(found.metrics[0].best)
    assert len({one.name for one in came}) == len(came)


def placements(
    letters: list[tuple[str, list[list[tuple[int, int]]], int, int]],
) -> list[dict[tuple[int, int], str]]:
    """All placements of pieces on cells, from all subsets of places; each piece has its own letter."""
    boards: list[dict[tuple[int, int], str]] = [{}]
    for letter, places, least, most in letters:
        following: list[dict[tuple[int, int], str]] = []
        for board in boards:
            stack: list[tuple[int, int, dict[tuple[int, int], str]]] = [(0, 0, board)]
            while stack:
                at, used, current = stack.pop()
                if at == len(places):
                    if used >= least:
                        following.append(current)
                    continue
                stack.append((at + 1, used, current))
                if used < most and not any(cell in current for cell in places[at]):
                    mark = letter if letter == "X" else f"{letter}{used}"
                    stack.append((at + 1, used + 1, {**current, **dict.fromkeys(places[at], mark)}))
        boards = following
    return boards


def test_all_positions_are_there_and_each_has_its_minimum() -> None:
    cells = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
    pairs = [[(0, 0), (0, 1)], [(0, 1), (0, 2)], [(1, 0), (1, 1)]]
    single = [[cell] for cell in cells]
    boards = placements([("X", single, 1, 1), ("A", pairs, 0, 1), ("B", single, 1, 2)])
    found = generated(SLIDING, "slides", "turns")
    assert found.num_positions == len(boards)
    letters = {"X": "X", "A0": "A", "B0": "B", "B1": "C"}
    for one in found.metrics:
        minima: dict[str, int] = {}
        sizes: dict[str, list[int]] = {}
        for board in boards:
            rows = [
                "".join(letters[board[r, c]] if (r, c) in board else "." for c in range(3))
                for r in range(2)
            ]
            rows[1] = rows[1][:2] + "#"
            document = {
                "puzzle": "it",
                "model": "sliding-blocks",
                "board": "\n".join(rows) + "\n",
                "goal": {"X": {"at": [0, 1]}},
            }
            cost = fewest.load(document).solve(one.metric, engine="bfs", audit="off").cost
            assert cost is None or isinstance(cost, int)
            if cost is not None:
                minima["/".join(rows)] = cost
                pieces = " ".join(sorted(set("".join(rows)) - set(".#")))
                sizes.setdefault(pieces, []).append(cost)
        assert found.num_solvable_positions == len(minima)
        assert one.minimum == max(minima.values())
        assert one.num_hardest == list(minima.values()).count(one.minimum)
        greatest = sorted(max(costs) for costs in sizes.values())
        assert sorted(row.minimum for row in one.hardest) == greatest


FORBIDDEN: dict[str, Any] = {
    "model": "sliding-blocks",
    "goal": {"X": {"at": [0, 3]}},
    "forbid": [
        {"X": {"at": [0, 1]}},
        {"all": [{"X": {"at": [1, 2]}}, {"B": {"at": [0, 0]}}]},
    ],
}


def test_merged_moves_do_not_pass_through_forbidden_positions() -> None:
    places = [[cell] for cell in product(range(2), range(4))]
    fill = {"X": {"shape": "#", "number": 1}, "B": {"shape": "#", "number": 1}}
    spec = written({"puzzle": "it", "board": "....\n....\n", "fill": fill, **FORBIDDEN})
    found = generated(spec, "steps", "slides", "turns")
    letters = {"X": "X", "B0": "B"}
    for one in found.metrics:
        minima: list[int] = []
        for board in placements([("X", places, 1, 1), ("B", places, 1, 1)]):
            rows = [
                "".join(letters[board[r, c]] if (r, c) in board else "." for c in range(4))
                for r in range(2)
            ]
            puzzle = {"puzzle": "it", "board": "\n".join(rows) + "\n", **FORBIDDEN}
            compiled = fewest.load(puzzle)
            if compiled.task.is_forbidden(compiled.task.initial):
                continue
            cost = compiled.solve(one.metric, engine="bfs", audit="off").cost
            if isinstance(cost, int):
                minima.append(cost)
        assert found.num_solvable_positions == len(minima)
        assert (one.minimum, one.num_hardest) == (max(minima), minima.count(max(minima)))


ROOM = """
puzzle: room
model: sokoban
board: |
  #####
  #. .#
  #   #
  ##  #
  #####
fill:
  "@": {shape: "#", number: 1}
  "$": {shape: "#", number: 2}
"""


def test_free_moves_and_moves_that_nothing_undoes() -> None:
    found = generated(ROOM, "pushes", "moves")
    cells = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3)]
    marks = {"@": "+", "$": "*", " ": "."}
    for one in found.metrics:
        costs: list[int] = []
        for player, *boxes in permutations(cells, 3):
            if boxes != sorted(boxes):
                continue
            rows = [list(row) for row in ("#####", "#. .#", "#   #", "##  #", "#####")]
            for (row, column), mark in zip((player, *boxes), "@$$", strict=True):
                rows[row][column] = marks[mark] if (row, column) in ((1, 1), (1, 3)) else mark
            board = "\n".join("".join(row) for row in rows) + "\n"
            puzzle = fewest.load({"puzzle": "it", "model": "sokoban", "board": board})
            cost = puzzle.solve(one.metric, engine="bfs", audit="off").cost
            if isinstance(cost, int):
                costs.append(cost)
        assert found.num_positions == 8 * 21
        assert found.num_solvable_positions == len(costs)
        assert (one.minimum, one.num_hardest) == (max(costs), costs.count(max(costs)))
        drawn = "".join(drawing_of(one.best[0]))
        assert drawn.count("$") + drawn.count("*") == 2
        assert drawn.count(".") + drawn.count("*") + drawn.count("+") == 2


FORBIDDEN_TEXT = """\
pieces: {block: {letters: A-Z}}
legend: {".": floor}
moves: {slide: {slide: block}}
metrics: {slides: {merge: line}, turns: {merge: path}}
forbid: [{X: {at: [0, 3]}}, {all: [{X: {at: [0, 1]}}, {Y: {at: [1, 1]}}]}]
goal: {X: {at: [0, 4]}}
"""


def test_a_merged_move_passes_through_no_forbidden_position() -> None:
    board = "board: |\n  .....\n  .....\nfill: {X: {shape: '#', number: 1}, Y: {shape: '#', number: 1}}\n"
    found = generated(f"puzzle: it\n{FORBIDDEN_TEXT}{board}", "slides", "turns")
    for one in found.metrics:
        costs: list[int] = []
        for x, y in permutations(range(10), 2):
            if x == 3 or (x, y) == (1, 6):
                continue
            cells = "".join("X" if cell == x else "Y" if cell == y else "." for cell in range(10))
            text = f"puzzle: it\n{FORBIDDEN_TEXT}board: |\n  {cells[:5]}\n  {cells[5:]}\n"
            compiled = compiled_or_none(text)
            assert compiled is not None
            cost = compiled.solve(one.metric, engine="bfs", audit="off").cost
            assert isinstance(cost, int)
            costs.append(cost)
        assert found.num_positions == len(costs)
        assert (one.minimum, one.num_hardest) == (max(costs), costs.count(max(costs)))


def test_rules_that_remove_pieces_are_refused() -> None:
    text = """
puzzle: pegs
pieces: {peg: {letters: A-Z}}
legend: {".": floor}
board: |
  ....
moves: {jump: {before: [peg, peg, empty], after: [empty, empty, peg]}}
goal: {count: {peg: 1}}
fill: {A: {shape: "#"}}
"""
    with pytest.raises(UsageError, match="neither create nor remove pieces, but `jump` does"):
        generated(text)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("fill: {A: {shape: '#', number: [3, 1]}}", "`number` must be a number"),
        ("fill: {A: {shape: 'o'}}", "a shape must be drawn with `#`"),
        ("fill: {AB: {shape: '#'}}", "a piece must be drawn with a single letter"),
        ("fill: {A: {form: '#'}}", "form"),
        ("fill: {}", "`fill` defines no pieces"),
    ],
)
def test_a_mistake_in_a_spec_has_its_place(wrong: str, said: str) -> None:
    text = f"puzzle: it\nmodel: sliding-blocks\nboard: |\n  ...\n{wrong}\n"
    with pytest.raises(DocumentError) as caught:
        load_board_spec("spec.yaml", text=text)
    assert said in str(caught.value)
    assert "spec.yaml:5" in str(caught.value)


def test_all_mistakes_of_a_spec_come_at_once() -> None:
    text = """
puzzle: wrong
model: rush-hour
board: |
  ....
  ....
fill:
  X: {shap: "##"}
  Y: {shape: "##", number: -1}
  Z: {shape: "##", rows: [2], columns: [-1]}
  AA: {shape: "##"}
"""
    with pytest.raises(DocumentError) as caught:
        load_board_spec("spec.yaml", text=text)
    said = str(caught.value)
    for words in (
        "shap`",
        "0 to 64",
        "row 2 is outside the board",
        "column -1 is outside the board",
        "with a single letter",
    ):
        assert words in said
    with pytest.raises(DocumentError, match="the key `fill` is missing here"):
        load_board_spec("spec.yaml", text=text.replace("fill:", "fil:"))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ("A: {shape: '#####', number: 1}", "9:3: .*the board of the spec has no room"),
        (
            "A: {shape: '##'}\n  B: {shape: '##'}",
            "10:3: .*`B` and `A` of `fill` mean the same pieces",
        ),
        ("+: {shape: '##'}", "9:3: .*`\\+` of `fill` is not a piece of the puzzle"),
    ],
)
def test_mistakes_that_only_the_rules_show_have_locations(changed: str, said: str) -> None:
    text = f"""puzzle: wrong
model: sliding-blocks
board: |
  ...
  ...
goal: {{X: {{at: [0, 0]}}}}
fill:
  X: {{shape: '#'}}
  {changed}
"""
    with pytest.raises(DocumentError, match=said):
        generated(text)


SIZES = """
puzzle: sizes
model: sliding-blocks
sizes: {rows: [2, 3], columns: 2}
goal: {X: {at: [0, 0]}}
fill:
  X: {shape: "#", number: 1}
  A: {shape: "##", rows: [2]}
"""


def test_a_spec_with_several_sizes_is_one_spec_for_each() -> None:
    two, three = load_board_specs("spec.yaml", text=SIZES)
    assert (two.size, three.size) == ("2x2", "3x2")
    drawn = SIZES.replace("sizes: {rows: [2, 3], columns: 2}", "board: |\n  ..\n  ..\n  ..")
    (alone,) = load_board_specs("spec.yaml", text=drawn)
    assert alone.size is None
    one, other = generate(three), generate(alone)
    assert one.name == "sizes-3x2"
    assert (one.num_boards, one.num_positions) == (other.num_boards, other.num_positions)
    assert one.metrics[0].histogram == other.metrics[0].histogram
    assert generate(two).num_positions == 4 < one.num_positions  # A has no place in two rows
    crowded = SIZES.replace("rows: [2]}", "number: 1}").replace("[2, 3]", "1")
    with pytest.raises(DocumentError, match="the board of 1x2 has no room"):
        generated(crowded)
    with pytest.raises(UsageError, match="has 2 sizes"):
        load_board_spec("spec.yaml", text=SIZES)


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ("{rows: [3, 2], columns: 2}", "lists of the smallest and the largest number"),
        ("{rows: 0, columns: 2}", "lists of the smallest and the largest number"),
        ("{rows: [1, 2, 3], columns: 2}", "lists of the smallest and the largest number"),
        ("{rows: 3}", "the key `columns` is missing"),
        ("{rows: 3, columns: two}", "wrong type"),
        ("3", "wrong type"),
        ("{rows: 2, columns: 2}", "row 2 is outside the board"),
        ("{rows: 3, columns: 2}\nboard: |\n  ..", "`board` and `sizes` cannot be used together"),
    ],
)
def test_a_mistake_in_the_sizes_has_its_place(sizes: str, said: str) -> None:
    text = SIZES.replace("{rows: [2, 3], columns: 2}", sizes)
    with pytest.raises(DocumentError) as caught:
        load_board_specs("spec.yaml", text=text)
    assert said in str(caught.value)


def test_the_command_searches_each_size(tmp_path: Path) -> None:
    spec, out = tmp_path / "sizes.yaml", tmp_path / "out"
    spec.write_text(SIZES)
    options = ["generate", str(spec), "--exhaustive", "--checkpoint", str(tmp_path / "saved")]
    done = run(*options, "-o", str(out))
    assert done.returncode == 0, done.stderr
    headings = [line for line in done.stdout.splitlines() if "(proven: all boards" in line]
    assert [line.partition(":")[0] for line in headings] == ["sizes-2x2", "sizes-3x2"]
    assert sorted(path.name for path in tmp_path.glob("saved*")) == ["saved-2x2", "saved-3x2"]
    assert {path.name[:9] for path in out.glob("sizes-*.yaml")} == {"sizes-2x2", "sizes-3x2"}
    assert (out / "boards.csv").read_text().startswith("size,metric,pieces")
    assert run("check", str(out)).returncode == 0
    data = json.loads(run(*options, "--json").stdout)
    assert [one["spec"] for one in data] == ["sizes-2x2", "sizes-3x2"]
    found = run("generate", str(spec), "--boards", "3", "--csv").stdout.splitlines()
    assert {line[:4] for line in found[1:]} == {"2x2,", "3x2,"}


@pytest.mark.parametrize("drawn", ["XX..", "QQ..", "AA.."])
def test_a_spec_with_pieces_on_its_board_is_refused(drawn: str) -> None:
    text = jams(4, 1).replace("....", drawn, 1)
    with pytest.raises(
        FewestError,
        match=f"the board of a spec must not contain pieces, but it contains `?{drawn[0]}",
    ):
        generated(text, "steps")


def test_a_limit_is_a_result() -> None:
    spec = load_board_spec("spec.yaml", text=jams(4, 1))
    found = generate(spec, (), Limits(seconds=0))
    assert (found.reason, found.exit_code, found.metrics) == ("time", 4, ())


@pytest.mark.parametrize("stop_at", [2, 3])
def test_a_limit_keeps_what_is_proven_for_few_pieces(
    stop_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = load_board_spec("spec.yaml", text=jams(4, 1))
    complete = generate(spec, ["slides"])
    real, calls = exhaustive.board_graph, 0

    def interrupted(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > stop_at:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(exhaustive, "board_graph", interrupted)
    found = generate(spec, ["slides"])
    assert (found.reason, found.num_pieces, complete.num_pieces) == ("interrupted", stop_at, 8)
    few = [row for row in complete.metrics[0].hardest if sum(row.pieces.values()) <= stop_at]
    assert [(row.pieces, row.minimum) for row in found.metrics[0].hardest] == [
        (row.pieces, row.minimum) for row in few
    ]
    assert found.metrics[0].minimum == max(row.minimum for row in few)
    assert 0 < found.num_boards < complete.num_boards
    assert f"no board with up to {stop_at} pieces needs more than" in heading(found)
    unsolved = replace(found, metrics=(replace(found.metrics[0], minimum=None, record=None),))
    assert f"no board with up to {stop_at} pieces can be solved (proven)" in heading(unsolved)


def test_a_second_search_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, file = load_board_spec("spec.yaml", text=jams(4, 1)), tmp_path / "jams.json"
    complete = generate(spec, ["slides", "steps"])
    real, calls = exhaustive.board_graph, 0

    def interrupted(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls % 4 == 0:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(exhaustive, "board_graph", interrupted)
    pieces = []
    found = None
    while found is None or found.reason is not None:
        found = generate(spec, ["slides", "steps"], checkpoint=file)
        pieces.append(found.num_pieces)
    assert pieces == [3, 5, 7, 8]
    assert timeless(found) == timeless(complete)
    calls = 0
    assert timeless(generate(spec, ["slides", "steps"], checkpoint=file)) == timeless(complete)
    assert calls == 1
    with pytest.raises(UsageError, match="belongs to another spec, other metrics"):
        generate(spec, ["slides"], checkpoint=file)
    other = load_board_spec("spec.yaml", text=jams(4, 2))
    with pytest.raises(UsageError, match="belongs to another spec"):
        generate(other, ["slides", "steps"], checkpoint=file)
    file.write_text("{")
    with pytest.raises(UsageError, match="not a checkpoint of an exhaustive search"):
        generate(spec, ["slides", "steps"], checkpoint=file)


def test_a_full_disk_keeps_what_is_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = checkpoint.write_whole

    def write(path: Path, parts: list[bytes]) -> int:
        if b'"pieces":4' in parts[0][:120]:
            raise OSError(errno.ENOSPC, "no space left on device", str(path))
        return real(path, parts)

    monkeypatch.setattr(checkpoint, "write_whole", write)
    spec, file = load_board_spec("spec.yaml", text=jams(4, 1)), tmp_path / "jams.json"
    found = generate(spec, checkpoint=file)
    assert (found.reason, found.num_pieces) == ("disk", 4)
    assert found.metrics[0].record is not None
    monkeypatch.undo()
    assert timeless(generate(spec, checkpoint=file)) == timeless(generate(spec))


def timeless(found: Generation) -> dict[str, Any]:
    return {key: value for key, value in found.to_json().items() if "seconds" not in key}


def test_the_command_writes_boards_that_are_checked(tmp_path: Path) -> None:
    spec = tmp_path / "jams.yaml"
    spec.write_text(jams(4, 1))
    done = run("generate", str(spec), "--exhaustive", "-m", "slides", "-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert "the hardest boards need 7 slides" in done.stdout
    assert run("check", str(tmp_path / "out")).returncode == 0
    assert len(list((tmp_path / "out").glob("*.yaml"))) == 3
    assert (tmp_path / "out" / "boards.svg").exists()
    assert (tmp_path / "out" / "boards.png").exists() == (find_spec("resvg_py") is not None)
    data = json.loads(run("generate", str(spec), "--exhaustive", "--json").stdout)
    assert (data["boards"], data["metrics"][0]["record"]) == (880, 10)
    table = run("generate", str(spec), "--exhaustive", "--csv").stdout.splitlines()
    assert table[0] == "metric,pieces,minimum,positions,board"
    assert len(table) == 1 + len(data["metrics"][0]["hardest"])


@pytest.mark.parametrize("kind", [Components, pure.Components], ids=["in use", "pure"])
def test_components_are_named_by_their_least_member(kind: type) -> None:
    sets = kind(6)
    sets.link(np.array([5, 3], dtype=np.int32), np.array([4, 5], dtype=np.int32))
    sets.link(np.array([1], dtype=np.int32), np.array([0], dtype=np.int32))
    assert sets.labels().tolist() == [0, 0, 2, 3, 3, 3]
    with pytest.raises(ValueError, match="a number that is not"):
        sets.link(np.array([6], dtype=np.int32), np.array([0], dtype=np.int32))
    with pytest.raises(TypeError):
        sets.link(np.array([1]), np.array([0]))


@pytest.mark.parametrize("count", [0, 50, 140_000])
def test_sums_over_facts_are_those_of_a_loop(count: int) -> None:
    random = np.random.default_rng(3)
    states = random.integers(0, 1 << 63, (count, 2), dtype=np.uint64)
    values = random.integers(0, 1 << 40, 101, dtype=np.uint64)
    states[:, 1] &= np.uint64((1 << 37) - 1)
    found = sums_over_facts(states, values)
    assert found.shape == (count,)
    for row in range(0, count, max(1, count // 50)):
        number = int(states[row, 0]) | int(states[row, 1]) << 64
        expected = sum(int(value) for fact, value in enumerate(values) if number >> fact & 1)
        assert int(found[row]) == expected


@pytest.mark.parametrize("kind", [StateSet, pure.StateSet], ids=["in use", "pure"])
@pytest.mark.parametrize("words", [1, 2])
def test_a_set_finds_states_in_the_order_of_insertion(kind: type, words: int) -> None:
    states = np.random.default_rng(1).integers(0, 1 << 40, (500, words), dtype=np.uint64)
    found = kind(words)
    assert found.find(states[:3]).tolist() == [-1, -1, -1]
    found.insert(states[:300])
    places = found.find(states)
    assert places[:300].tolist() == list(range(300))
    assert set(places[300:].tolist()) == {-1}


def test_the_counts_by_minimum_are_wrapped_between_two_counts() -> None:
    lines = counts_by_minimum("  boards by minimum  ", [(n, 10**n) for n in range(14)])
    assert len(lines) > 1
    assert all(len(line) <= 80 for line in lines)
    assert not any(line.endswith(":") for line in lines)
    assert " ".join(" ".join(lines).split()).startswith("boards by minimum 0: 1, 1: 10, 2: 100,")
