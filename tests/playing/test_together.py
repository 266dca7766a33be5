"""Commands to all pieces of a kind move pieces in the right order, leave some in place, and mirror others; illegal
commands are refused."""

from __future__ import annotations

import pytest

import fewest
from fewest.drawing.text import draw
from fewest.errors import DocumentError
from fewest.grounding.ground import ground
from fewest.model.position import start
from fewest.model.states import decode
from fewest.playing.rules import legal_moves

HEAD = """puzzle: x
legend: {a: a, b: b, c: c, ".": floor, "#": wall}
pieces: {a: {}, b: {mirror: columns}, c: {}}
variables: {x: {values: range(3), initial: 0}}
goal: count(c) == 9
"""


def after(rule: str, *rows: str, head: str = HEAD) -> list[str]:
    """The board after a command; the reference interpreter and both forms of the task agree."""
    board = "".join(f"  {row}\n" for row in rows)
    compiled = fewest.load("x.yaml", text=f"{head}moves: {{go: {rule}}}\nboard: |\n{board}")
    puzzle = compiled.puzzle
    played = ["/".join(draw(move.target)) for move in legal_moves(start(puzzle))]
    for most in (1_000_000, 0):
        task = ground(puzzle, most_divided=most)
        assert bool(task.consequences) == (most == 0)
        effects = [e for stage in task.consequences for place in stage.places for e in place]
        assert {effect.rule for effect in effects} - {"fall", "tick"} == (
            {"go"} if effects else set()
        )
        reached = [
            task.after(number, task.initial)
            for number, operator in enumerate(task.operators)
            if operator.is_applicable(task.initial)
        ]
        states = [s for s in reached if s is not None and not task.is_forbidden(s)]
        positions = [decode(puzzle, task, state) for state in states if state != task.initial]
        assert sorted(played) == sorted("/".join(draw(position)) for position in positions)
    return [text.rpartition("/")[0] for text in played]


def test_a_row_moves_as_a_whole_and_blocked_pieces_stay() -> None:
    assert after("{together: a, directions: right}", "aa.a", "a#.a") == [".aaa/a#.a"]
    assert after("{together: a, directions: left}", ".aa.") == ["aa.."]
    assert after("{together: a|c, directions: down}", "a", "c", ".") == ["./a/c"]
    assert after("{together: a, directions: down}", "a", "c", ".") == []


def test_pieces_that_share_a_cell_all_move() -> None:
    head = HEAD.replace("b: {mirror: columns}", "b: {layer: 1}").replace("c: c", "c: a & b")
    assert after("{together: any, directions: right}", "c..", head=head) == [".c."]
    assert after("{together: a|b, directions: right}", "ca.", head=head) == [".ca"]
    assert after("{together: b, directions: right}", "c..", head=head) == ["ab."]


def test_the_piece_with_the_foremost_cell_moves_first_in_every_direction() -> None:
    """Puzzles in a mirror have the same moves in the mirrored direction."""
    head = HEAD.replace("a: {}", "a: {letters: AB}").replace("a: a, ", "")
    rule = "{together: a, directions: DIRECTION}"
    # the long piece is further forward, so it is blocked when its turn comes
    for way, before, there in (
        ("right", ("AB..", "AAA."), "A.B./AAA."),
        ("left", ("..BA", ".AAA"), ".B.A/.AAA"),
        ("down", ("AA", "AB", "A.", ".."), "AA/A./AB/.."),
        ("up", ("..", "A.", "AB", "AA"), "../AB/A./AA"),
    ):
        assert after(rule.replace("DIRECTION", way), *before, head=head) == [there], way


def test_mirrors_have_an_order() -> None:
    """Pieces with the mirror `columns` move before those with `rows`, even if these are further forward."""
    head = HEAD.replace("a: {}", "a: {mirror: rows}")
    assert after("{together: a|b, directions: right}", "a.b", head=head) == ["ab."]


def test_mirrored_pieces_move_after_the_others_in_the_mirrored_direction() -> None:
    assert after("{together: a|b, directions: right}", ".a.b.") == ["..ab."]
    assert after("{together: a|b, directions: left}", ".a.b.") == ["a...b"]
    assert after("{together: a|b, directions: up}", "..", "ab") == ["ab/.."]


@pytest.mark.parametrize(
    ("mirror", "up", "right"),
    [
        ("rows", ".a.../...../...b.", "...../..a.b/....."),
        ("columns", ".a.b./...../.....", "...../..ab./....."),
        ("both", ".a.../...../...b.", "...../..ab./....."),
    ],
)
def test_a_mirror_is_one_of_rows_of_columns_or_of_both(mirror: str, up: str, right: str) -> None:
    head = HEAD.replace("mirror: columns", f"mirror: {mirror}")
    rows = (".....", ".a.b.", ".....")
    assert after("{together: a|b, directions: up}", *rows, head=head) == [up]
    assert after("{together: a|b, directions: right}", *rows, head=head) == [right]


def test_consequences_of_a_command_follow_after_all_pieces_have_moved() -> None:
    head = HEAD + "then: {fall: {slide: c, directions: down}}\n"
    assert after("{together: a, directions: right}", "cc", "aa", "#.", head=head) == []
    assert after("{together: a, directions: right}", "cc.", "aa.", "...", head=head) == [
        ".c./.aa/c.."
    ]


def test_a_kind_follows_only_commands_in_its_own_directions() -> None:
    head = HEAD.replace("c: {}", "c: {directions: up}")
    assert after("{together: a|c, directions: right}", "..", "c.", "a.", head=head) == ["../c./.a"]
    assert after("{together: a|c, directions: up}", "..", "ac", head=head) == ["ac/.."]


def test_each_kind_pushes_the_kinds_that_it_carries() -> None:
    rule = "{together: a, carries: c, directions: right}"
    assert after(rule, "ac.", "acc", "a.c") == [".ac/acc/.ac"]
    assert after("{together: a, carries: c, most: 1, directions: right}", "acc.") == []


def test_a_tilt_continues_until_no_piece_can_move() -> None:
    rule = "{together: a, distance: blocked, directions: right}"
    assert after(rule, "a.a...#a.") == ["....aa#.a"]


def test_a_command_that_moves_no_piece_is_illegal_even_if_it_sets_variables() -> None:
    assert after("{together: a, directions: right, set: {x: 1}}", "a#") == []
    assert after("{together: a, directions: right, set: {x: 1}}", "a.") == [".a"]


def test_a_command_has_consequences_even_if_a_piece_pushes_the_others_back() -> None:
    rule = "{together: a|b, carries: a|b, directions: right}"
    tick = "then: {tick: {set: {x: (x + 1) % 3}, once: true}}\n"
    assert after(rule, "ab.") == []
    assert after(rule, "ab.", head=HEAD + tick) == ["ab."]
    assert after(rule, "ab", head=HEAD + tick) == []


@pytest.mark.parametrize("where", ["wrap: rows", "wrap: both"])
def test_an_order_needs_a_board_that_ends(where: str) -> None:
    with pytest.raises(DocumentError, match="move-key-unused"):
        after("{together: a}", "a..", head=f"{HEAD}{where}\n")


def test_an_order_is_no_consequence() -> None:
    then = "then: {again: {together: a}}\n"
    with pytest.raises(DocumentError, match="move-key-unused"):
        after("{together: a}", "a..", head=HEAD + then)


@pytest.mark.parametrize("mirror", ["rows", "columns", "both"])
@pytest.mark.parametrize("own", ["", ", directions: above below"])
def test_no_mirror_exchanges_above_and_below(mirror: str, own: str) -> None:
    head = HEAD.replace("columns", mirror + own) + "levels: 2\n"
    rows = [".....", ".....", ".....", "a...b"]
    (above,) = after("{together: a|b, directions: above}", *rows, head=head)
    assert above.split("/")[3] == "|a . . . b|"
    assert after("{together: a|b, directions: below}", *rows, head=head) == []


def test_a_mirrored_leap_does_not_lead_to_another_level() -> None:
    head = HEAD.replace("columns", "rows") + "levels: 2\n"
    rows = ["....", "....", "b...", "...a"]
    assert after("{together: b, directions: [[1, 3]]}", *rows, head=head) == []


@pytest.mark.parametrize(
    ("geometry", "command", "mirror", "reached"),
    [
        ("hex-right", "up", "columns", "..b/.../..."),
        ("hex-right", "[[-1, 1]]", "columns", ".b./.../..."),
        ("hex-right", "up", "rows", ".../.../b.."),
        ("hex-right", "[[-1, 1]]", "rows", ".../.../.b."),
        ("hex-left", "up", "columns", "b../.../..."),
        ("hex-left", "[[1, 1]]", "rows", ".b./.../..."),
        ("hex-left", "left", "columns", ".../..b/..."),
        ("hex-left", "up", "both", ".../.../.b."),
    ],
)
def test_a_mirror_leads_to_a_neighbour_on_a_hexagonal_board(
    geometry: str, command: str, mirror: str, reached: str
) -> None:
    """Every row is drawn half a cell further to the right, or to the left, than the row above it."""
    head = HEAD.replace("columns", mirror) + f"geometry: {geometry}\n"
    found = after(f"{{together: b, directions: {command}}}", "...", ".b.", "...", head=head)
    assert [row.replace(" ", "") for row in found] == [reached]
