"""Pictures have one outline for each piece, stable colours, visible goals, and complete files."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fewest
from fewest.commands.draw import draw_position, draw_puzzles
from fewest.commands.load import load_puzzle
from fewest.drawing.pictures.board import BoardPicture
from fewest.drawing.pictures.colours import GOAL_COLOUR, PIECE_COLOURS, _neighbours, ink_on
from fewest.drawing.pictures.grid import UNIT, Grid
from fewest.drawing.pictures.outline import loops, outline
from fewest.drawing.pictures.picture import svg
from fewest.drawing.pictures.puzzle_style import look
from fewest.drawing.pictures.raster import check_raster, gif, png, unreadable
from fewest.errors import UsageError
from fewest.machine.resources import puzzles
from fewest.model.board import DIRECTION_GROUPS
from fewest.model.position import start
from tests.helpers.command_line import run
from tests.helpers.gallery import GALLERY, example_pictures, page, pictures, shown

SQUARE, HEX = Grid(False), Grid(True)
places = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1)


def area(points: list[tuple[float, float]]) -> float:
    """The signed area of a loop; positive if the loop runs clockwise on the screen."""
    pairs = zip(points, [*points[1:], points[0]], strict=True)
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in pairs) / 2


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)


def piece_paths(text: str) -> list[str]:
    """The fills of the shapes that have a translation: those of the pieces."""
    return re.findall(
        r'<g transform="translate\([^)]*\)"><path d="[^"]*" fill="(#\w+)" stroke', text
    )


# -- outlines -----------------------------------------------------------------------------------------


@given(places, st.sampled_from([SQUARE, HEX]))
def test_the_loops_around_cells_enclose_their_area(cells: set[tuple[int, int]], grid: Grid) -> None:
    polygons = [grid.polygon(*cell) for cell in sorted(cells)]
    enclosed = sum(area(loop) for loop in loops(polygons))
    assert enclosed == pytest.approx(sum(area(list(p)) for p in polygons), rel=1e-3)


@given(places)
def test_an_inset_outline_keeps_clear_of_the_edges_of_the_cells(
    cells: set[tuple[int, int]],
) -> None:
    path = outline([SQUARE.polygon(*cell) for cell in sorted(cells)], 4, 0)
    for x, y in re.findall(r"(-?[\d.]+) (-?[\d.]+)", path):
        assert {float(x) % UNIT, float(y) % UNIT} <= {4, UNIT - 4}


def test_cells_that_touch_at_a_corner_have_loops_of_their_own() -> None:
    found = loops([SQUARE.polygon(0, 0), SQUARE.polygon(1, 1)])
    assert sorted(len(loop) for loop in found) == [4, 4]


def test_the_hole_of_a_ring_has_the_opposite_orientation() -> None:
    ring = [cell for cell in product(range(3), range(3)) if cell != (1, 1)]
    found = loops([SQUARE.polygon(*cell) for cell in ring])
    assert sorted(area(loop) / UNIT**2 for loop in found) == pytest.approx([-1, 9])


def test_the_six_directions_of_a_hexagonal_board_are_equally_far() -> None:
    for side in ("right", "left"):
        grid = Grid(True, leans_left=side == "left")
        x, y = grid.middle(3, 3)
        for row, column in DIRECTION_GROUPS[f"hex-{side}"]:
            there = grid.middle(3 + row, 3 + column)
            assert ((there[0] - x) ** 2 + (there[1] - y) ** 2) ** 0.5 == pytest.approx(UNIT)
            near = _rounded(grid.polygon(3 + row, 3 + column))
            assert len(set(_rounded(grid.polygon(3, 3))) & set(near)) == 2


def _rounded(polygon: tuple[tuple[float, float], ...]) -> list[tuple[float, float]]:
    return [(round(x, 2), round(y, 2)) for x, y in polygon]


# -- colours ------------------------------------------------------------------------------------------

# Linear RGB as red-blind, green-blind and blue-blind people see it: Machado, Oliveira and Fernandes (2009).
BLINDNESS = {
    "protan": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deutan": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "tritan": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}


def linear(colour: str) -> list[float]:
    return [(int(colour[i : i + 2], 16) / 255) ** 2.2 for i in (1, 3, 5)]


@pytest.mark.parametrize("kind", BLINDNESS)
def test_colour_blind_people_can_distinguish_the_colours_of_pieces(kind: str) -> None:
    def seen(colour: str) -> list[float]:
        light = linear(colour)
        rows = BLINDNESS[kind]
        mixed = [sum(m * c for m, c in zip(row, light, strict=True)) for row in rows]
        return [255 * min(1.0, max(0.0, value)) ** (1 / 2.2) for value in mixed]

    for a, b in combinations([GOAL_COLOUR, *PIECE_COLOURS], 2):
        assert max(abs(p - q) for p, q in zip(seen(a), seen(b), strict=True)) > 25, (a, b)


@pytest.mark.parametrize("colour", [GOAL_COLOUR, *PIECE_COLOURS])
def test_letters_are_read_on_every_colour(colour: str) -> None:
    def luminance(text: str) -> float:
        return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(text), strict=True))

    low, high = sorted((luminance(colour), luminance(ink_on(colour))))
    assert (high + 0.05) / (low + 0.05) > 3.5


def test_pieces_keep_their_colours_through_a_plan() -> None:
    compiled = fewest.load("hardest-6x6")
    plan = compiled.solve("slides").plan
    assert plan is not None
    style = look(compiled.puzzle)
    fills = {p.label: style.colours[p.label] for p in compiled.puzzle.pieces}
    for frame in plan.frames():
        seen = piece_paths(BoardPicture(style).svg(frame.position, frame.labels))
        assert sorted(seen) == sorted(fills.values())
        for spot in frame.position.pieces:
            drawn = BoardPicture(style).piece(spot, frame.labels)
            assert fills[frame.labels[spot]] in drawn
    assert plan.svg().count("<text") == len(plan) + 1 + len(fills) * (len(plan) + 1)


def test_neighbours_have_different_colours_and_goal_pieces_a_separate_one() -> None:
    colours = look(load_puzzle("heng-dao-li-ma")).colours
    assert colours["C"] == GOAL_COLOUR
    assert list(colours.values()).count(GOAL_COLOUR) == 1
    assert len({colours[label] for label in "CDF"}) == 3


def test_neighbours_across_the_edge_have_different_colours() -> None:
    # beyond the right edge is cell 0
    text = "puzzle: x\nmodel: sliding-blocks\nwrap: rows\ngoal: {C: {at: [0, 1]}}\n"
    puzzle = fewest.load("x.yaml", text=text + "board: |\n  B.CA\n").puzzle
    assert _neighbours(puzzle)["A"] == {"B", "C"}


def test_the_text_of_a_piece_is_drawn_over_the_goal_mark() -> None:
    text = (
        "puzzle: x\nmodel: sliding-blocks\nboard: |\n  AB.\n  AB.\n"
        "goal: {any: [{A: {at: [0, 1]}}, {B: {at: [0, 0]}}]}\n"
    )
    puzzle = fewest.load("x.yaml", text=text).puzzle
    drawn = BoardPicture(look(puzzle)).svg(start(puzzle), puzzle.labels)
    assert drawn.count("<text") == 2 and drawn.count("stroke-dasharray") == 2
    assert drawn.rindex("stroke-dasharray") < drawn.index("<text")


# -- whole pictures -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [path for _, _, path in puzzles()], ids=lambda path: path.stem)
def test_every_shipped_puzzle_is_drawn_with_one_shape_a_piece(path: Path) -> None:
    puzzle = load_puzzle(path)
    for theme in ("light", "dark"):
        text = svg(start(puzzle), puzzle.labels, theme=theme)
        root = parsed(text)
        assert float(root.get("width", "0")) > 50
        board = look(puzzle, theme)
        if puzzle.board is not None:
            drawn = piece_paths(BoardPicture(board).svg(start(puzzle), puzzle.labels))
            assert len(drawn) == len(puzzle.pieces)


def test_a_piece_of_several_cells_has_one_outline() -> None:
    puzzle = load_puzzle("heng-dao-li-ma")
    text = svg(start(puzzle), puzzle.labels)
    assert text.count(">曹操<") == 1
    assert text.count(">关羽<") == 1


def test_the_place_where_a_piece_must_go_is_outlined() -> None:
    style = look(load_puzzle("heng-dao-li-ma"))
    (place,) = style.goal.places
    assert place.cells == {13, 14, 17, 18}
    assert f'stroke="{GOAL_COLOUR}"' in BoardPicture(style).above()
    jam = look(load_puzzle("hardest-6x6"))
    assert [sorted(place.cells) for place in jam.goal.places] == [[16, 17]]  # one row, not all rows
    assert len(look(load_puzzle("two-exits")).goal.places) == 2


def test_cells_to_be_covered_and_goals_in_words_are_shown() -> None:
    style = look(load_puzzle("microban-001"))
    assert BoardPicture(style).above().count("<circle") == 2 * len(style.goal.cells or ())
    puzzle = load_puzzle("hanoi")
    assert "goal: all(peg[d] ==" in svg(start(puzzle))


def test_a_piece_over_the_edge_of_a_closed_board_is_drawn_on_both_sides() -> None:
    text = (
        "puzzle: x\nmodel: sliding-blocks\nwrap: rows\nboard: |\n  A..A\n  ....\n"
        "goal: {A: {at: [1, 0]}}\n"
    )
    puzzle = fewest.load("x.yaml", text=text).puzzle
    (piece,) = start(puzzle).pieces
    assert BoardPicture(look(puzzle)).piece(piece, puzzle.labels).count("<g transform") == 2


def test_pictures_use_the_colours_and_symbols_of_the_document() -> None:
    text = (
        "puzzle: x\nmodel: sliding-blocks\nboard: |\n  A.b#\ngoal: {A: {at: [0, 1]}}\n"
        "drawing:\n  colours: {A: '#123456', wall: none, floor: '#abc'}\n"
        "  symbols: {A: 🦊, block: ''}\n  shapes: {b: disc}\n"
    )
    drawn = svg(start(fewest.load("x.yaml", text=text).puzzle))
    assert "#123456" in drawn and "#aabbcc" in drawn and ">🦊<" in drawn
    assert ">b<" not in drawn and "a18.5 18.5" in drawn
    assert look(fewest.load("x.yaml", text=text).puzzle).theme.wall not in drawn


def test_a_model_may_name_pieces_that_a_board_does_not_have() -> None:
    text = "puzzle: x\nmodel: sokoban\nterrain: null\npieces: {box: null}\nmoves: {push: null}\n"
    text += 'legend: {".": null, "+": null, "$": null, "*": null}\nmetrics: {pushes: null}\n'
    text += "metric: moves\nboard: |\n  @-\ngoal: {player: {at: [0, 1]}}\n"
    assert fewest.load("x.yaml", text=text).puzzle.style.colours.keys() == {"player"}


def test_texts_of_documents_are_no_markup() -> None:
    text = (
        'puzzle: x\ntitle: "</title><script>alert(1)</script>"\nmodel: sliding-blocks\n'
        'names: {A: "<b>&"}\nboard: |\n  A.\ngoal: {A: {touches: right}}\n'
    )
    drawn = fewest.load("x.yaml", text=text).svg()
    parsed(drawn)
    assert "<script" not in drawn and "<b>" not in drawn


def test_the_gallery_names_a_puzzle_with_few_lines_of_rules_for_each_construct() -> None:
    assert GALLERY.read_text(encoding="utf-8") == page(), "run: python -m tests.helpers.gallery"
    pictured = {path.stem for path in pictures()}
    for row in shown():
        assert 0 < row.rule_lines <= 25, row
        assert row.known_from, row
        assert row.puzzle in pictured, row


def test_the_pictures_of_the_gallery_are_current() -> None:
    wanted = pictures()
    shown = {path.stem.removesuffix("-dark").removeprefix("space-") for path in wanted}
    assert {path.parent.name for _, _, path in puzzles()} <= set(map(load_family, shown))
    of_examples = example_pictures()
    assert len(of_examples) == 12
    wanted = wanted | of_examples
    for path, text in wanted.items():
        assert path.read_text(encoding="utf-8") == text, "run: python -m tests.helpers.gallery"
    assert {path.name for path in (GALLERY.parent / "pictures").glob("*.svg")} == {
        p.name for p in wanted
    }


def load_family(name: str) -> str:
    return next(family for family, stem, _ in puzzles() if stem == name)


def test_notebooks_show_puzzles_and_plans() -> None:
    compiled = fewest.load("machinarium")
    plan = compiled.solve().plan
    assert plan is not None
    assert parsed(compiled._repr_svg_()).tag.endswith("svg")
    assert parsed(plan._repr_svg_()).tag.endswith("svg")
    moved = compiled.svg(plan.moves[0].position)
    assert moved != compiled.svg()


# -- files --------------------------------------------------------------------------------------------


def test_draw_prints_svg_and_takes_a_position(tmp_path: Path) -> None:
    first, second = run("draw", "jugs"), run("draw", "jugs", "--at", "a=3 b=5")
    assert first.returncode == second.returncode == 0
    parsed(first.stdout)
    assert first.stdout != second.stdout
    done = run("draw", "hardest-6x6", "--plan", "-m", "slides", "-o", str(tmp_path / "plan.svg"))
    assert done.returncode == 0
    assert (tmp_path / "plan.svg").read_text(encoding="utf-8").count(">49. ") == 1


def test_arrows_point_from_where_a_piece_is_to_where_it_goes() -> None:
    plain, arrows = run("draw", "bird"), run("draw", "bird", "--arrows")
    assert "<polygon" not in plain.stdout
    assert arrows.stdout.count("<polygon") == 2  # one arrow, and its light outline


def test_a_sheet_of_a_folder_has_every_puzzle_and_lists_other_files(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("puzzle: a\nmodel: sliding-blocks\nboard: |\n  A.\n")
    (tmp_path / "b.yaml").write_text("puzzle: b\nmodel: sliding-blocks\nboard: |\n  A.\n")
    (tmp_path / "c.yaml").write_text("nothing: at all\n")
    done = run("draw", str(tmp_path))
    assert done.returncode == 0
    assert ">a</text>" in done.stdout and ">b</text>" in done.stdout
    assert "c.yaml is not a puzzle" in done.stderr


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("bird", "-o", "x.jpg"), 2, "cannot draw to x.jpg"),
        (("bird", "-o", "/nowhere/x.svg"), 3, "/nowhere/x.svg"),
        (
            ("bird", "jugs", "--plan"),
            2,
            "with several puzzles, only the start of each can be drawn",
        ),
        (("bird", "--at", "xx"), 3, "the board has 6 rows"),
        (("microban-001", "--plan", "--time", "0"), 4, "time limit"),
    ],
)
def test_errors_in_drawing_are_reported(args: tuple[str, ...], code: int, message: str) -> None:
    done = run("draw", *args)
    assert done.returncode == code, done.stderr
    assert message in done.stderr


def test_pixels_have_the_colours_of_the_picture(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py", reason="the extra `pictures`")
    image = pytest.importorskip("PIL.Image")
    puzzle = load_puzzle("english")
    style = look(puzzle)
    text = svg(start(puzzle), puzzle.labels, style=style)
    picture = image.open(io.BytesIO(png(text))).convert("RGB")
    left, top, _, _ = BoardPicture(style).box
    for cell, fill in (
        (2, style.colours["peg"]),
        (24, style.theme.floor),
    ):  # the centre of a peg, and of the empty hole
        x, y = style.grid.middle(*divmod(cell, 7))
        found = picture.getpixel((round(2 * (x - left + 10)), round(2 * (y - top + 10))))
        assert "#{:02x}{:02x}{:02x}".format(*found) == fill
    assert png(text, width=100)[:8] == b"\x89PNG\r\n\x1a\n"
    done = run("draw", "english", "--width", "100", "-o", str(tmp_path / "x.png"))
    assert done.returncode == 0
    with image.open(tmp_path / "x.png") as small:
        assert small.width == 100


def test_a_gif_has_a_frame_for_every_position(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py", reason="the extra `pictures`")
    image = pytest.importorskip("PIL.Image")
    done = run("draw", "machinarium-arrows", "-o", str(tmp_path / "x.gif"))
    assert done.returncode == 0, done.stderr
    with image.open(tmp_path / "x.gif") as picture:
        assert picture.n_frames == 16  # the start and 15 moves
    assert gif([svg(start(load_puzzle("jugs")))])[:6] == b"GIF89a"


def test_characters_without_a_font_are_named() -> None:
    pytest.importorskip("resvg_py", reason="the extra `pictures`")
    assert unreadable("<text>plain letters, é</text>") == ""
    assert unreadable("<text>\u0379 and &lt;</text>") == "\u0379"  # an unassigned code point


@pytest.mark.parametrize("line", ["names: {A: \u0379}", "drawing: {symbols: {A: \u0379}}"])
def test_pixels_show_letters_if_no_font_has_the_characters(line: str, tmp_path: Path) -> None:
    pytest.importorskip("resvg_py", reason="the extra `pictures`")
    plain = "puzzle: x\nmodel: sliding-blocks\nboard: |\n  AB.\ngoal: {A: {touches: right}}\n"
    (tmp_path / "plain.yaml").write_text(plain, encoding="utf-8")
    (tmp_path / "marks.yaml").write_text(plain + line, encoding="utf-8")
    drawn = draw_position(*2 * [load_puzzle(tmp_path / "marks.yaml")], suffix=".png")
    assert drawn.unreadable == "\u0379"
    assert (
        drawn.data == draw_position(*2 * [load_puzzle(tmp_path / "plain.yaml")], suffix=".png").data
    )
    together = draw_puzzles([tmp_path / "marks.yaml"], suffix=".png")
    assert together.data == draw_puzzles([tmp_path / "plain.yaml"], suffix=".png").data


def test_missing_programs_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fewest.drawing.pictures.raster.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"need resvg-py and Pillow[\s\S]*'\.\[pictures\]'"):
        check_raster(".png")
    with pytest.raises(UsageError, match="an animation can show only one puzzle"):
        draw_puzzles(["bird", "jugs"], suffix=".gif")
