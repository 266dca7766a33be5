"""The consequences of moves follow the order of sweeps, rules that never end are errors, and plans show
consequences."""

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
legend: {a: a, b: b, c: c, ".": floor}
pieces: {a: {}, b: {}, c: {}}
variables: {x: {values: range(3), initial: 0}}
moves: {go: {before: [a, empty], after: [empty, a], directions: right, set: {x: 2}}}
goal: count(c) == 0
"""


def after(rules: str, *rows: str) -> list[str]:
    """The positions that one move of `a` to the right leads to."""
    return _after(HEAD + rules, *rows)


def _after(text: str, *rows: str) -> list[str]:
    """The positions that one move leads to; the reference interpreter and both forms of the task agree."""
    board = "".join(f"  {row}\n" for row in rows)
    compiled = fewest.load("x.yaml", text=f"{text}board: |\n{board}")
    puzzle, task = compiled.puzzle, compiled.task
    played = ["/".join(draw(move.target)) for move in legal_moves(start(puzzle))]
    assert not task.consequences
    for grounded in (task, ground(puzzle, most_divided=0)):
        states = [
            grounded.after(number, grounded.initial)
            for number, operator in enumerate(grounded.operators)
            if operator.is_applicable(grounded.initial)
        ]
        positions = [
            decode(puzzle, grounded, s) for s in states if s not in (None, grounded.initial)
        ]
        assert sorted(played) == sorted("/".join(draw(position)) for position in positions)
    return [text.rpartition("/")[0] for text in played]


def test_pieces_fall_until_no_consequence_applies() -> None:
    fall = "then: {fall: {slide: b, directions: down}}\n"
    assert after(fall, "b..", "a..", "...") == [".../.a./b.."]
    assert after(fall + "order: bottom-up\n", "b..", "b..", "a..") == [".../b../ba."]


def test_the_first_rule_that_fits_at_a_place_applies() -> None:
    fall = "fall: {slide: b, directions: down}"
    roll = "roll: {slide: b, directions: right, when: x > 0, set: {x: 0}}"
    rest = "rest: {when: x > 0, set: {x: 0}}"
    assert after(f"then: {{{fall}, {roll}, {rest}}}\n", "b..", "a..") == [".../ba."]
    assert after(f"then: {{{roll}, {fall}, {rest}}}\n", "b..", "a..") == [".b./.a."]


def test_of_several_ways_to_slide_the_first_loop_the_first_direction_and_the_lowest_layer_count() -> (
    None
):
    once = "when: x == 2, set: {x: 0}"
    slide = f"then: {{go: {{slide: b, directions: right left, {once}}}}}\n"
    assert after(slide, ".b.", "a..") == ["..b/.a."]
    # the order is that of the rule, and not that of the kind
    head = HEAD.replace("b: {}", "b: {directions: horizontal}")
    assert _after(head + slide, ".b.", "a..") == ["..b/.a."]
    loops = (
        "for: {i: [0, 1], d: [left, right]}, directions: d, when: x == 2 and (i == 1 or d == right)"
    )
    assert after(f"then: {{go: {{slide: b, {loops}, set: {{x: i}}}}}}\n", ".b.", "a..") == [
        "..b/.a."
    ]
    # two pieces share the cell; only the lower one moves
    for upper, there in (("c: {layer: 1}", "cb"), ("c: {layer: -1}", "bc")):
        head = HEAD.replace("c: c", "c: c, d: b & c").replace("c: {}", upper)
        any_of = f"then: {{go: {{slide: b|c, directions: right, {once}}}}}\n"
        assert _after(head + any_of, "d.", "a.") == [f"{there}/.a"]


def test_rules_that_only_set_variables_repeat_until_nothing_changes() -> None:
    count = "count: {when: x > 0, set: {x: x - 1}}"
    fall = "fall: {slide: b, directions: down, when: x == 0}"
    assert after(f"then: {{{count}}}\n", "a..") == [".a."]
    assert after(f"then: {{{fall}, {count}}}\n", "b..", "a..", "...") == [".../.a./b.."]


def test_a_consequence_pushes_pieces_while_its_condition_holds() -> None:
    shove = "shove: {slide: b, carries: c, directions: right, when: x > 0, set: {x: x - 1}}"
    assert after(f"then: {{{shove}}}\n", "a...", "bc..") == [".a../..bc"]
    assert after(f"then: {{{shove}}}\n", "a..", "bc.") == [".a./.bc"]


def test_sweeps_follow_the_order_of_the_document() -> None:
    eat = "then: {eat: {before: [b, c], after: [b, empty], directions: horizontal, when: x > 0,"
    eat += " set: {x: 0}}, rest: {when: x > 0, set: {x: 0}}}\n"
    assert after("order: left-right\n" + eat, "a..", "bcb", "cb.") == [".a./b.b/cb."]
    assert after("order: bottom-up\n" + eat, "a..", "bcb", "cb.") == [".a./bcb/.b."]
    assert after("order: right-left\n" + eat, "a..", "bcb", "cb.") == [".a./b.b/cb."]


def test_a_move_whose_consequences_never_end_is_illegal_and_is_reported() -> None:
    rules = "then: {swing: {before: [c, empty], after: [empty, c], when: x == 2}}\n"
    assert after(rules, "a.", "c.") == []
    text = f"{HEAD}{rules}board: |\n  a.\n  c.\n"
    assert "then-endless" in {w.code for w in fewest.load("x.yaml", text=text).warnings}


@pytest.mark.parametrize(
    ("rule", "outcome"),
    [
        ("{slide: b, directions: down}", "with b@1,0 instead of b@0,0"),
        ("{before: [b], after: [empty], directions: up}", "without b@0,0"),
        ("{when: x == 0, set: {x: 1}}", "with x=1 instead of x=0"),
    ],
)
def test_a_start_with_consequences_is_refused_with_the_position_after_them(
    rule: str, outcome: str
) -> None:
    with pytest.raises(DocumentError, match="start-consequence") as caught:
        after(f"then: {{fall: {rule}}}\n", "ba.", "...")
    assert (
        caught.value.diagnostics[0].hint
        == f"draw the start as it is after the consequences, {outcome}"
    )


def test_a_plan_shows_consequences_behind_the_move_that_caused_them() -> None:
    rules = (
        "then: {fall: {slide: c, directions: down}, vanish: {before: [c, b], after: [empty, b]}}\n"
    )
    text = f"{HEAD}{rules}board: |\n  c..\n  a..\n  ...\n  b..\n"
    plan = (
        fewest.load("x.yaml", text=text.replace("directions: right, set: {x: 2}", "")).solve().plan
    )
    assert plan is not None
    assert len(plan.moves) == 1
    assert plan.text().endswith("(fall ×2, vanish)")
    assert plan.to_json()[0]["steps"][0]["then"] == ["fall", "fall", "vanish"]


@pytest.mark.parametrize(
    "rule",
    [
        "{slide: b, distance: blocked}",
        "{slide: b, count: 2}",
        "{cycle: [[0, 0], [0, 1]]}",
        "{cycles: [[[0, 0], [0, 1]]]}",
        "{pivot: b}",
        "{together: b}",
    ],
)
def test_invalid_consequences_are_refused(rule: str) -> None:
    with pytest.raises(DocumentError, match="move-key-unused"):
        after(f"then: {{no: {rule}}}\n", "ab.")


VANISH = "vanish: {before: [b, b, b], after: [empty, empty, empty], directions: right down"


def test_overlapping_matches_of_everywhere_vanish_together() -> None:
    swap = HEAD.replace("before: [a, empty], after: [empty, a]", "before: [a, b], after: [b, a]")
    cross = ("bbabc", "..b..", "..b..")
    assert _after(swap + "then: {" + VANISH + "}}\n", *cross) == ["...ac/..b../..b.."]
    everywhere = "then: {" + VANISH + ", everywhere: true}}\n"
    assert _after(swap + everywhere, *cross) == ["...ac/...../....."]


def test_fire_with_everywhere_spreads_by_one_cell_per_move() -> None:
    burn = "then: {burn: {before: [c, b], after: [c, c], when: x > 0, set: {x: 0}%s}}\n"
    assert after(burn % ", everywhere: true", "cbbb", "a.cb") == ["cccb/.acc"]
    assert after(burn % "", "cbbb", "a.cb") == ["ccbb/.acb"]


def test_parallel_moves_happen_once_and_never_to_the_same_cell() -> None:
    step = "then: {step: {before: [b, empty], after: [empty, b], directions: %s, when: x > 0,"
    step += " set: {x: 0}, everywhere: true}}\n"
    assert after(step % "right", "b.b.", "a...") == [".b.b/.a.."]
    assert after(step % "horizontal", "b.b.", "a.b.") == [".b.b/.a.b"]
    assert after(step % "horizontal", ".b.c", "a...") == ["b..c/.a.."]


def test_a_later_stage_waits_until_those_before_it_have_nothing_to_do() -> None:
    rows = ("b..", "a..", ".c.", "...")
    fall = "fall: {slide: b, directions: down}"
    eat = "eat: {before: [b, c], after: [b, empty], directions: right"
    assert after(f"then: {{{eat}}}, {fall}}}\n", *rows) == [".../.a./.../b.."]
    later = f"then: {{{fall}, {eat}, otherwise: true}}}}\n"
    assert after(later, *rows) == [".../.a./.c./b.."]
    assert after(later, "b..", "a..", "..c", ".cc") == [".../.a./..c/b.c"]


@pytest.mark.parametrize("key", ["everywhere", "otherwise"])
def test_rules_that_only_set_variables_have_no_place(key: str) -> None:
    with pytest.raises(DocumentError, match="move-key-unused"):
        after(f"then: {{no: {{set: {{x: 0}}, {key}: true}}}}\n", "ab.")
    with pytest.raises(DocumentError, match="unknown-key"):
        _after(HEAD.replace("directions: right", f"{key}: true"), "ab.")
