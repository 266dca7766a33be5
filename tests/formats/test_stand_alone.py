"""Documents and drawings of positions and of changed puzzles contain the same board, pieces and rules."""

from __future__ import annotations

from typing import Any

import pytest

import fewest
from fewest.commands.changes import PuzzleToChange
from fewest.commands.minimize import minimize
from fewest.formats.plain import written
from fewest.formats.stand_alone import (
    UndrawableError,
    check_same_start,
    own_tree,
    plain_values,
)
from fewest.reading.loader import load_document
from fewest.reading.puzzle import read_puzzle

ON_ICE = """
puzzle: on-ice
legend: {".": ice, "@": walker, "#": wall}
terrain: [ice]
pieces: {walker: {}}
moves: {walk: {before: [walker, empty], after: [empty, walker], directions: horizontal}}
goal: terrain(0, 0) == floor and terrain(0, 1) == ice and walker_is_away
constants: {walker_is_away: 1}
board: |
  @..#
"""
TOKENS = """puzzle: tokens
legend: {_: floor, 3: goal}
terrain: [goal]
pieces: {b: {letters: [01, 02, 007, 1_0, -0, 1e3, "5"]}}
variables: {x: {values: ['1', 'true', 2], initial: 2}}
moves: {s: {slide: b}, t: {set: {x: 1}}}
board:
  - [01, _, 02, -0]
  - [007, 3, 1e3, 5]
goal: {01: {on: goal}}
"""
NUMBERED = """
puzzle: numbered
legend: {".": floor, "01": old, "1": new}
pieces: {old: {}, new: {}}
moves: {slide: {slide: any}}
goal: {board: [[01, ., 1, .]]}
board: [[., 01, 1, .]]
"""
TOGETHER = """
puzzle: together
legend: {".": floor, "!": exit, o: ball}
terrain: [exit]
pieces: {block: {letters: A-Z, parts: together}, ball: {}}
moves: {slide: {slide: ball}}
goal: {ball: {on: exit}}
board: |
  o.!..
  A....
"""


def _document_at(text: str, at: str) -> str:
    compiled = fewest.load("it.yaml", text=text)
    texts: dict[str, Any] = {"title": "it", "metric": "moves", "expect": {}}
    return compiled.document_at(compiled.at(at).start, "it", source="", notes="", **texts)


def test_plain_floor_is_not_drawn_like_a_terrain() -> None:
    compiled = fewest.load("on-ice.yaml", text=ON_ICE)
    assert compiled.puzzle.board is not None
    moved = compiled.at("·.@#")
    assert str(moved).splitlines()[-1] == "·.@#"
    assert compiled.at("\n".join(str(moved).splitlines()[1:])).start.pieces == moved.start.pieces
    again = fewest.load("it.yaml", text=_document_at(ON_ICE, "·.@#"))
    assert again.puzzle.board is not None
    assert again.puzzle.board.terrain == compiled.puzzle.board.terrain
    assert again.puzzle.board.terrain["ice"] == {1, 2}


def test_numbers_with_leading_zeros_stay_different_tokens() -> None:
    again = fewest.load("it.yaml", text=_document_at(NUMBERED, "01 . 1 ."))
    assert fewest.load("numbered.yaml", text=NUMBERED).solve().cost == 1
    assert again.solve().cost == 0
    assert fewest.load("numbered.yaml", text=NUMBERED).minimize().minimum == 1
    data = plain_values(own_tree(load_document("numbered.yaml", text=NUMBERED)))
    again = fewest.load("it.yaml", text=written(data))
    assert again.solve().cost == 1


def test_a_new_wall_is_not_drawn_like_a_piece() -> None:
    text = NUMBERED.replace('"1": new', '"#": new').replace("01, ., 1", "01, ., '#'")
    found = fewest.load("it.yaml", text=text.replace("01, 1", "01, '#'")).vary(kinds="add-wall")
    assert [one.status for one in found.boards].count("invalid") == 1  # a place of the goal
    assert [one.minimum for one in found.boards if one.status == "optimal"] == [1]
    assert found.boards[0].position is not None
    assert "█" in str(found.to_json()["boards"][0]["board"])


def test_a_copy_of_a_piece_with_separate_parts_gets_another_letter() -> None:
    found = fewest.load("together.yaml", text=TOGETHER).vary(kinds="add-piece")
    minima = [one.minimum for one in found.boards if str(one.change).startswith("add A")]
    assert len(minima) == 8
    assert {one.status for one in found.boards} == {"optimal", "unsolvable"}


def test_boards_without_a_document_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
puzzle: apart
legend: {".": floor}
pieces: {block: {letters: A-Z, parts: apart}}
moves: {slide: {slide: block}}
goal: {X: {touches: right}}
board: |
  X.X...
"""
    compiled = fewest.load("apart.yaml", text=text)
    found = compiled.vary(kinds="move-piece")
    undrawn = [one for one in found.boards if one.status == "undrawn"]
    assert len(undrawn) == 2  # the two pieces would touch, and the goal names their letter
    assert len(undrawn) + sum(one.status == "optimal" for one in found.boards) == 3
    assert "; 2 not tried, because no document describes them" in found.summary()
    assert "of 1 board" in found.summary()

    def undrawable(*_: Any) -> None:
        raise UndrawableError("no letter is left")

    monkeypatch.setattr(PuzzleToChange, "drawn", undrawable)
    assert compiled.document is not None
    smaller = minimize(compiled.document, compiled.puzzle, compiled.grounded, "moves")
    assert not smaller.is_minimal
    assert smaller.num_open == 2


def test_pieces_with_the_same_corner_are_different_parts() -> None:
    text = """
puzzle: corner
legend: {".": floor}
pieces: {block: {letters: A-Z}}
moves: {slide: {slide: block}}
then: {stop: {slide: block, directions: up, when: 1 == 2}}
goal: {B: {touches: right}}
board: |
  BA.
  AA.
"""
    loaded = load_document("corner.yaml", text=text)
    work = PuzzleToChange(loaded, read_puzzle(loaded, {}))
    large = next(part for part in work.pieces if len(part.cells) == 3)
    changed = work.drawn(work.without([large, *work.rules]))
    assert changed is not None
    assert [piece.label for piece in changed.puzzle.pieces] == ["B"]


def test_tokens_that_look_like_numbers_stay_as_they_are() -> None:
    compiled = fewest.load("tokens.yaml", text=TOKENS)
    text = compiled.document_at(
        compiled.start, "x", title="x", metric="moves", expect={}, source="s", notes="n"
    )
    again = fewest.load("x.yaml", text=text)
    labels = [piece.label for piece in again.puzzle.pieces]
    assert labels == ["01", "02", "-0", "007", "1e3", "5"]
    assert again.puzzle.variables == compiled.puzzle.variables
    assert again.solve().cost == compiled.solve().cost == 2


def test_another_terrain_is_no_copy_of_the_start() -> None:
    one = fewest.load("tokens.yaml", text=TOKENS)
    moved = TOKENS.replace("_, 02", "3, 02").replace("007, 3", "007, _")
    other = fewest.load("tokens.yaml", text=moved)
    check_same_start(one.puzzle, one.puzzle)
    with pytest.raises(UndrawableError):
        check_same_start(one.puzzle, other.puzzle)


def test_a_position_without_a_piece_that_the_goal_names_has_no_document() -> None:
    text = """
puzzle: eaten
legend: {".": floor, "@": cat, "!": home}
terrain: [home]
pieces: {cat: {}, mouse: {letters: A-Z}}
moves:
  walk: {before: [cat, empty|mouse], after: [empty, cat], directions: horizontal}
goal: {any: [{cat: {on: home}}, {A: {on: home}}]}
board: |
  !.@AB
"""
    compiled = fewest.load("eaten.yaml", text=text)
    found = compiled.explore()
    with pytest.raises(UndrawableError, match=r"no document can begin at this position: .*`A`"):
        compiled.hardest_document(found)
