"""The counts of all boards of a spec equal those of boards explored one by one, and those of other programs."""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest

import fewest
from fewest.commands.generate import generate
from fewest.commands.generate.documents import document_at, records_of, write_documents
from fewest.commands.generate.drawing import drawing_of
from fewest.commands.generate.universe import universe
from fewest.formats.plain import written
from fewest.formats.stand_alone import UndrawableError
from fewest.model.position import Position
from fewest.reading.board_spec import BoardSpec, load_board_spec
from tests.commands.generate.spec_cases import ROOM, SLIDING, generated, jams
from tests.helpers.agreement import compiled_or_none


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


def test_boards_are_shown_when_they_are_found() -> None:
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


def test_all_positions_are_counted_with_their_minima() -> None:
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
