"""A plan shows the label of a rule, and the reader of plans finds exactly one move for it."""

from __future__ import annotations

import json

import pytest

import fewest
from fewest.commands.api import CompiledPuzzle
from fewest.errors import DocumentError
from fewest.playing.plan import Plan
from fewest.terminal.session import Session
from fewest.web.rules import rules_data

JUGS = """puzzle: jugs
names: {large: the large jug, small: the small jug}
constants: {size: {large: 5, small: 3}}
variables:
  large: {values: range(6), initial: 0}
  small: {values: range(4), initial: 0}
moves:
  fill: {for: {jug: [5, 3]}, set: {large: 5 if jug == 5 else large, small: 3 if jug == 3 else small}, say: FILL}
  empty: {for: {jug: [5, 3]}, set: {large: 0 if jug == 5 else large, small: 0 if jug == 3 else small}}
  over: {set: {small: "min(3, large + small)", large: "max(0, large + small - 3)"}, say: pour the large jug over}
  back: {set: {large: "min(5, large + small)", small: "max(0, large + small - 5)"}, say: pour the small jug back}
goal: large == 4
"""


def _plan(text: str) -> tuple[CompiledPuzzle, Plan]:
    compiled = fewest.load("x.yaml", text=text)
    plan = compiled.solve().plan
    assert plan is not None
    return compiled, plan


def test_a_plan_with_labels_can_be_read_again() -> None:
    compiled, plan = _plan(JUGS.replace("FILL", '"fill the {jug}-litre jug"'))
    assert [move.text for move in plan] == [
        "fill the 5-litre jug",
        "pour the large jug over",
        "empty jug=3",
        "pour the large jug over",
        "fill the 5-litre jug",
        "pour the large jug over",
    ]
    labels = [row["steps"][0].get("label") for row in plan.to_json()]
    assert labels == ["fill the 5-litre jug", "pour the large jug over", None, *labels[3:]]
    for written in (plan.text(), json.dumps(plan.to_json())):
        assert compiled.play(written).is_solution


def test_a_label_that_two_moves_have_keeps_the_parameters() -> None:
    compiled, plan = _plan(JUGS.replace("FILL", "fill a jug"))
    assert [move.text for move in plan][:2] == [
        "fill a jug [fill jug=5]",
        "pour the large jug over",
    ]
    assert [move.text for move in plan][4] == "fill a jug [fill jug=5]"
    assert compiled.play(plan.text()).is_solution
    session = Session(compiled)
    descriptions = {session.describe(move) for move in session.moves()}
    assert {"fill a jug [fill jug=5]", "fill a jug [fill jug=3]"} <= descriptions


def test_a_label_that_is_the_words_of_another_move_keeps_the_parameters() -> None:
    text = JUGS.replace("FILL", '"empty jug=3"')
    compiled, plan = _plan(text)
    assert compiled.play(plan.text()).is_solution
    assert {move.text for move in plan if "jug=5" in move.text} == {"empty jug=3 [fill jug=5]"}


def test_a_label_names_the_words_of_its_loops_as_people_do() -> None:
    text = """puzzle: crossing
names: {goat: the goat, wolf: the grey wolf}
variables: {far: {values: [nobody, goat, wolf], initial: nobody}}
moves: {take: {for: {who: [goat, wolf]}, set: {far: who}, say: "row {who} over"}}
goal: far == wolf
"""
    assert [move.text for move in _plan(text)[1]] == ["row the grey wolf over"]


def test_a_label_names_the_words_of_tables_as_people_do() -> None:
    text = """puzzle: crossing
names: {goat: the goat, wolf: the grey wolf, left: the near bank}
constants: {bank: {goat: far, wolf: left}, who: [goat, wolf]}
variables: {far: {values: [nobody, goat, wolf], initial: nobody}}
moves:
  take: {for: {i: [0, 1]}, set: {far: "who[i]"}, say: "row {who[i]} to {bank[who[i]]}"}
  back: {for: {who: [goat, wolf]}, when: far == who, set: {far: nobody}, say: "{who} leaves {bank[who]}"}
goal: far == wolf
"""
    compiled, plan = _plan(text)
    assert [move.text for move in plan] == ["row the grey wolf to the near bank"]
    assert compiled.play(plan.text()).is_solution
    labels = [rule.guard.labels for rule in compiled.puzzle.rules]
    assert labels[1] == ("the goat leaves far", "the grey wolf leaves the near bank")


def test_a_label_of_pieces_is_distinguished_by_the_ordinary_words() -> None:
    text = """puzzle: boxes
legend: {"@": player, $: box, ".": floor, "#": wall}
pieces: {player: {}, box: {}}
moves:
  walk: {before: [player, empty], after: [empty, player], say: walk on}
  push: {before: [player, box, empty], after: [empty, player, box], say: push the box}
board: |
  @$..
  ..##
goal: {box: {at: [0, 3]}}
"""
    compiled, plan = _plan(text)
    assert plan.text() == "1. push the box\n2. push the box"
    assert compiled.play(plan.text()).is_solution
    session = Session(compiled)
    assert [session.describe(move) for move in session.moves()] == ["walk on", "push the box"]
    session.play(session.moves()[0])
    descriptions = {session.describe(move) for move in session.moves()}
    assert descriptions == {"walk on [walk player ↑]", "walk on [walk player →]"}
    written = "walk on\nwalk on [walk player ↑]\npush the box\npush the box"
    assert compiled.play(written).is_solution


def test_the_page_has_the_label_of_each_operator() -> None:
    compiled = fewest.load("x.yaml", text=JUGS.replace("FILL", '"fill the {jug}-litre jug"'))
    data = rules_data(compiled.puzzle, compiled.task)
    labels = {data["labels"][number] for number in data["operators"]["label"]}
    assert labels >= {"", "fill the 5-litre jug", "fill the 3-litre jug", "pour the large jug over"}


@pytest.mark.parametrize(
    "label", ["fill {jug}, then wait", '""', "{jugs}", '"{size[jug]}"', "x" * 200]
)
def test_a_label_that_cannot_be_is_refused(label: str) -> None:
    with pytest.raises(DocumentError) as error:
        fewest.load("x.yaml", text=JUGS.replace("FILL", label if label[0] == '"' else f'"{label}"'))
    assert "say" in error.value.diagnostics[0].path


@pytest.mark.parametrize("name", ["x", "v[i]"])
def test_the_error_about_a_variable_in_a_label_lists_the_allowed_names(name: str) -> None:
    text = f"""puzzle: p
variables: {{x: {{values: range(3), initial: 0}}, "v[i]": {{for: {{i: range(2)}}, values: range(3), initial: 0}}}}
moves: {{go: {{for: {{i: range(2)}}, set: {{x: 2}}, say: "go {{{name}}}"}}}}
goal: x == 2
"""
    with pytest.raises(DocumentError) as error:
        fewest.load("p.yaml", text=text)
    (found,) = error.value.diagnostics
    assert found.message == f"a text cannot show the variable `{name[0]}`"
    assert found.hint is not None
    assert found.hint.startswith("a text can contain loops, parameters and constants")
