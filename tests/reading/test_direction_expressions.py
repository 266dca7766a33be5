"""Directions can be values: `directions` can name loops and variables, and contain expressions such as `left_of`."""

from __future__ import annotations

import pytest

import fewest
from fewest.errors import DocumentError
from fewest.playing.rules import legal_moves
from tests.helpers.matrix.compare import compare

ROBOT = """
puzzle: robot
legend: {".": floor, r: robot, c: crate}
pieces: {robot: {}, crate: {}}
variables: {facing: {values: orthogonal, initial: right}, moved: {values: [no, yes], initial: no}}
moves:
  go: RULE
board: |
  ...
  .rc
  ...
goal: {robot: {at: [0, 0]}}
"""
RING = """
puzzle: ring
legend: {a: a, b: b}
pieces: {a: {}, b: {}}
variables: {way: {values: [forward, backward, none], initial: forward}}
moves:
  turn: {for: {c: range(2)}, cycle: [[0, c], [0, c + 1], [1, c + 1], [1, c]], directions: way}
  stop: {set: {way: none}}
  back: {set: {way: backward}}
metrics: {quarters: {}, turns: {merge: line}}
board: |
  aba
  bab
goal: {board: "bab\\naba"}
"""
LADDER = """
puzzle: ladder
legend: {".": floor}
pieces: {ladder: {letters: L}}
variables: {way: {values: [clockwise, none], initial: clockwise}}
moves:
  carry: {slide: ladder}
  turn: {pivot: ladder, directions: way, set: {way: none}}
  wind: {set: {way: clockwise}, when: way == none}
board: |
  LL.
  L..
  ...
goal: {L: {touches: bottom}}
"""


def moves_of(rule: str) -> set[str]:
    """The moves of the robot or the crate in words: each direction, with the values of the loops."""
    position = fewest.load("robot.yaml", text=ROBOT.replace("RULE", rule)).start
    return {
        f"{move.direction.name} {move.words}".strip()
        for move in legal_moves(position)
        if move.direction is not None
    }


WALK = "before: [robot, empty], after: [empty, robot]"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (f"{{for: {{d: [up, down]}}, {WALK}, directions: d}}", {"up d=up", "down d=down"}),
        (f"{{for: {{d: vertical}}, {WALK}, directions: d}}", {"up d=up", "down d=down"}),
        (
            f"{{for: {{d: [vertical]}}, {WALK}, directions: d}}",
            {"up d=vertical", "down d=vertical"},
        ),
        (f"{{{WALK}, directions: facing}}", set()),  # the crate blocks this cell
        (f"{{{WALK}, directions: left_of(facing)}}", {"up"}),
        (f"{{{WALK}, directions: right_of(facing)}}", {"down"}),
        (f"{{{WALK}, directions: back_of(facing)}}", {"left"}),
        (f"{{{WALK}, directions: up left_of(facing) back_of(facing)}}", {"up", "left"}),
        (f"{{{WALK}, directions: left_of('up-' + facing)}}", {"up-left"}),
        (f'{{{WALK}, directions: "left_of(up if terrain(0, 0) == floor else left)"}}', {"left"}),
        (f"{{{WALK}, directions: [up, left_of( facing )]}}", {"up"}),
        (
            f"{{for: {{d: [up, left]}}, {WALK}, directions: left_of(d)}}",
            {"left d=up", "down d=left"},
        ),
        (f"{{{WALK}, directions: 'back_of(facing)', when: moved == yes}}", set()),
        ("{slide: any, directions: facing}", set()),
        ("{slide: crate, directions: left_of(facing)}", {"up"}),
        ("{slide: robot, directions: facing, carries: crate}", set()),
        ("{slide: robot, distance: blocked, directions: back_of(facing)}", {"left"}),
        ("{together: any, directions: left_of(facing) back_of(facing)}", {"up", "left"}),
        ("{for: {d: [left, up]}, together: robot, directions: d}", {"left d=left", "up d=up"}),
        (f"{{{WALK}, directions: facing, distance: blocked}}", set()),
        (f"{{{WALK}, directions: right_of(facing), distance: blocked}}", {"down"}),
    ],
)
def test_directions_can_be_loops_and_variables(rule: str, expected: set[str]) -> None:
    assert moves_of(rule) == expected
    compared = compare(fewest.load("robot.yaml", text=ROBOT.replace("RULE", rule)).puzzle)
    assert compared.is_complete


@pytest.mark.parametrize(("text", "positions"), [(RING, 60), (LADDER, 32)], ids=["ring", "pivot"])
def test_a_variable_selects_the_direction_of_rings_and_pivots(text: str, positions: int) -> None:
    compared = compare(fewest.load("turned.yaml", text=text).puzzle)
    assert (compared.positions, compared.is_complete) == (positions, True)


@pytest.mark.parametrize(
    ("geometry", "direction", "left", "right", "back"),
    [
        ("square", "up", "left", "right", "down"),
        ("square", "down-left", "down-right", "up-left", "up-right"),
        ("square", "horizontal", "vertical", "vertical", "horizontal"),
        ("square", "none", "none", "none", "none"),
        ("hex-right", "up", "left", "up-right", "down"),
        ("hex-left", "up", "up-left", "right", "down"),
        ("triangle-up", "right", "up-right", "down-right", "left"),
        ("square", "forward", "forward", "forward", "backward"),
        ("hex-left", "counterclockwise", "counterclockwise", "counterclockwise", "clockwise"),
    ],
)
def test_left_of_and_right_of_turn_a_direction(
    geometry: str, direction: str, left: str, right: str, back: str
) -> None:
    text = f"""
puzzle: turned
legend: {{".": floor}}
geometry: {geometry}
pieces: {{}}
variables: {{d: {{values: [{direction}], initial: {direction}}}}}
moves: {{stay: {{set: {{d: d}}}}}}
board: |
  ..
goal: left_of(d) == '{left}' and right_of(d) == '{right}' and back_of(d) == '{back}'
"""
    assert fewest.load("turned.yaml", text=text).solve().cost == 0


@pytest.mark.parametrize(
    ("rule", "code", "message"),
    [
        (f"{{{WALK}, directions: moved}}", "unknown-direction", "never a direction of this board"),
        (f"{{{WALK}, directions: fcaing}}", "unknown-direction", "no direction `fcaing`"),
        (
            f"{{{WALK}, directions: left_of(fcaing)}}",
            "expression-unknown-name",
            "the name `fcaing`",
        ),
        (f"{{{WALK}, directions: up left_of()}}", "expression-type", "needs exactly one argument"),
        (
            f"{{{WALK}, directions: left_of(3)}}",
            "expression-type",
            "needs a direction, but found `3`",
        ),
        (
            f"{{for: {{d: [up, upp]}}, {WALK}, directions: d}}",
            "unknown-direction",
            "no direction `upp`",
        ),
        (f"{{for: {{d: range(2)}}, {WALK}, directions: d}}", "wrong-type", "expected a direction"),
        ("{slide: robot, directions: left_of(3)}", "expression-type", "needs a direction"),
        (
            "{for: {d: [up]}, cycle: [[0, 0], [0, 1]], directions: d}",
            "unknown-direction",
            "of a ring `up`",
        ),
        ("{for: {d: [up]}, pivot: robot, directions: d}", "unknown-direction", "of a pivot `up`"),
    ],
)
def test_invalid_directions_are_refused(rule: str, code: str, message: str) -> None:
    with pytest.raises(DocumentError) as error:
        fewest.load("robot.yaml", text=ROBOT.replace("RULE", rule))
    assert [code] == [d.code for d in error.value.diagnostics if d.severity == "error"]
    assert message in str(error.value)


def test_the_edges_of_a_graph_have_no_left() -> None:
    text = """
puzzle: graph
legend: {a: a, o: floor}
pieces: {a: {}}
variables: {way: {values: [rail, road, none], initial: rail}}
graph: {nodes: {p: [0, 0], q: [0, 1], r: [0, 2]}, edges: {rail: [p q], road: [q r]}}
moves:
  go: {before: [a, empty], after: [empty, a], directions: WAY}
  change: {set: {way: road if way == rail else none}}
board: aoo
goal: {a: {at: r}}
"""
    puzzle = fewest.load("graph.yaml", text=text.replace("WAY", "way"))
    assert puzzle.solve().cost == 3
    assert compare(puzzle.puzzle).positions == 8
    with pytest.raises(DocumentError, match="have no left and right"):
        fewest.load("graph.yaml", text=text.replace("WAY", "left_of(way)")).solve()


@pytest.mark.parametrize("far", ["[2, 1]", "[[2, 1], 3]", "[[[2, 1]]]", "[[0, 0]]"])
def test_a_constant_that_is_no_list_of_offsets_is_refused(far: str) -> None:
    text = f"constants: {{far: {far}}}{ROBOT.replace('RULE', '{slide: robot, directions: far}')}"
    with pytest.raises(DocumentError, match="bad-offset"):
        fewest.load("robot.yaml", text=text)


TURNS = """
puzzle: turns
legend: {".": floor, r: robot}
geometry: GEOMETRY
pieces: {robot: {}}
constants: {side: right_of(up), sides: [right_of(up), "back_of('up')"]}
variables: {facing: {values: [up, right_of(up)], initial: right_of(up)}, n: {values: [0, 1], initial: 0}}
moves:
  a: {before: [robot, empty], after: [empty, robot], directions: side}
  b: {for: {d: [right_of(up)]}, before: [robot, empty], after: [empty, robot], directions: d}
  c: {for: {d: "[right_of(e) for e in [up]]"}, before: [robot, empty], after: [empty, robot], directions: d}
  d: {for: {d: sides}, before: [robot, empty], after: [empty, robot], directions: d}
  e: {before: [robot, empty], after: [empty, robot], directions: facing}
  f: {for: {d: [up]}, set: {n: 1}, say: "to {right_of(d)}"}
board: |
  ...
  .r.
  ...
goal: n == 1
"""


@pytest.mark.parametrize(
    ("geometry", "right"),
    [("square", "right"), ("hex-right", "up-right"), ("hex-left", "right")],
)
def test_constants_loops_values_and_texts_turn_directions_as_the_board_does(
    geometry: str, right: str
) -> None:
    compiled = fewest.load("turns.yaml", text=TURNS.replace("GEOMETRY", geometry))
    found = {
        (move.rule, move.direction.name)
        for move in legal_moves(compiled.start)
        if move.direction is not None
    }
    assert found == {*((rule, right) for rule in "abcde"), ("d", "down")}
    assert compiled.puzzle.variables[0].values == ("up", right)
    plan = compiled.solve().plan
    assert plan is not None and plan.text().endswith(f"to {right}")


@pytest.mark.parametrize(
    ("geometry", "word", "number"),
    [("hex-left", "hex", 6), ("triangle-up", "strips", 6), ("hex-right", "all", 8)],
)
def test_a_variable_can_hold_each_word_for_several_directions(
    geometry: str, word: str, number: int
) -> None:
    rule = f"{{{WALK}, directions: facing}}"
    text = ROBOT.replace("RULE", rule).replace(
        "{values: orthogonal, initial: right}", f"{{values: [{word}], initial: {word}}}"
    )
    text = text.replace(".rc", ".r.") + f"geometry: {geometry}\n"
    compiled = fewest.load("robot.yaml", text=text)
    assert len(list(legal_moves(compiled.start))) == number
    assert compare(compiled.puzzle).positions == 9


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("along", "along-without-piece"),
        ("strips", "unknown-direction"),
        ("above", "unknown-direction"),
    ],
)
@pytest.mark.parametrize("written", ["facing", "left_of(facing)"])
def test_a_variable_with_a_word_that_means_no_direction_here_is_refused(
    word: str, code: str, written: str
) -> None:
    rule = f"{{{WALK}, directions: {written}}}"
    text = ROBOT.replace("RULE", rule).replace("values: orthogonal", f"values: [right, {word}]")
    with pytest.raises(DocumentError) as error:
        fewest.load("robot.yaml", text=text)
    (mistake,) = error.value.diagnostics
    assert (mistake.code, mistake.line) == (code, 7)


@pytest.mark.parametrize(
    ("constants", "loop", "directions"),
    [
        ("", "for: {d: [up-left, down-right]},", "d"),
        ("constants: {k: [up-left, down-right]}", "for: {d: k},", "d"),
        ("constants: {k: [up-left, down-right]}", "for: {i: range(2)},", '"k[i]"'),
    ],
)
def test_a_direction_with_a_hyphen_needs_no_quotes_in_a_list(
    constants: str, loop: str, directions: str
) -> None:
    rule = f"{{{loop} {WALK}, directions: {directions}}}"
    text = f"{constants}{ROBOT.replace('RULE', rule)}"
    moves = legal_moves(fewest.load("robot.yaml", text=text).start)
    names = {move.direction.name for move in moves if move.direction is not None}
    assert names == {"up-left", "down-right"}
