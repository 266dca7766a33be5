"""Every drawing of a position with variables that have places can be read again, with or without a board."""

from __future__ import annotations

import pytest

import fewest
from fewest.drawing.text import draw
from fewest.playing.rules import legal_moves
from fewest.reading.positions import PositionError

BOARDS = {
    "none": "",
    "plain": "board: |\n  @..\n  ...\n",
    "as high as the variables with lines": "board: |\n  @\n  .\n",
    "one row": "board: |\n  @..\n",
    "blanks": "legend: {' ': floor, '#': wall, '@': w}\nboard: \"   \\n## \\n@  \\n   \\n\"\n",
    "lines": "edges: drawn\nboard: |\n  +-+-+-+\n  |@ . .|\n  +-+ + +\n  |. . .|\n  +-+-+-+\n",
    "hexagons": "geometry: hex-right\nboard: |\n  @..\n  ...\n",
    "triangles": "geometry: triangle-up\nboard: |\n  @..\n  ...\n",
    "levels": "levels: 2\nboard: |\n  @..\n  ...\n  ...\n  ...\n",
    "graph": "graph: {nodes: {a: [0, 0], b: [0, 1], c: [1, 1]}, edges: [a b, b c]}\nboard: |\n  @.\n   .\n",
}
LAYOUTS = {
    "a row": ("[0, i]", "{0: o, 1: O}"),
    "two rows": ("[i // 2, i]", "{0: o, 1: O}"),
    "a gap": ("[i % 2, 2 * i]", "{0: o, 1: O}"),
    "wide": ("[0, i]", "{0: off, 1: on}"),
    "wide with a gap": ("[i % 2, i]", "{0: off, 1: on}"),
    "an empty first row": ("[1, i]", "{0: o, 1: O}"),
    "an empty row": ("[2 * (i // 2), i]", "{0: o, 1: O}"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("board", BOARDS)
def test_a_drawn_position_is_read_again(board: str, layout: str) -> None:
    place, characters = LAYOUTS[layout]
    rules, pieces = "", ""
    if board != "none":
        rules, pieces = ", walk: {before: [w, empty], after: [empty, w]}", "pieces: {w: {}}\n"
        if board != "blanks":
            pieces += 'legend: {".": floor, "@": w}\n'
    text = f"""puzzle: lamps
variables:
  lit[i]: {{for: {{i: range(3)}}, values: [0, 1], initial: i % 2, layout: "{place}", characters: {characters}}}
  k: {{values: [0, 1], initial: 0}}
moves: {{press: {{for: {{i: range(3)}}, set: {{"lit[i]": "1 - lit[i]", k: 1 - k}}}}{rules}}}
{pieces}{BOARDS[board]}goal: k == 7
""".replace(f'"{place}"', place)
    compiled = fewest.load("lamps.yaml", text=text)
    moves = list(legal_moves(compiled.start))
    assert len({move.rule for move in moves}) == (1 if board == "none" else 2)
    for move in moves:
        drawn = draw(move.target)
        assert compiled.at("\n".join(drawn)).start == move.target
        if board not in ("none", "blanks", "triangles") and "empty" not in layout:
            assert compiled.at("/".join(drawn)).start == move.target


def test_a_wrong_drawing_of_variables_below_a_board_is_refused() -> None:
    text = """puzzle: lamps
legend: {".": floor, "@": w}
pieces: {w: {}}
variables: {"v[i]": {for: {i: range(2)}, values: [0, 1], initial: 0, layout: [0, i]}}
moves: {walk: {before: [w, empty], after: [empty, w]}}
board: |
  @..
goal: v[0] == 1
"""
    compiled = fewest.load("lamps.yaml", text=text)
    assert compiled.at("..@\n\n01").start.values == (0, 1)
    assert compiled.at("..@").start.values == (0, 0)
    assert compiled.at("..@/01/v[0]=1").start.values == (1, 1)
    for wrong in ("..@\n\n02", "..@\n\n011", "..@\n\n01\n01"):
        with pytest.raises(PositionError):
            compiled.at(wrong)
