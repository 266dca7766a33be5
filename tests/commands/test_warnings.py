"""Valid documents that are probably wrong cause warnings; each warning names a remedy that removes it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fewest.commands.api import load
from fewest.commands.check import Effort, check_document
from fewest.commands.watch import look_at
from fewest.errors import Diagnostic, DocumentError
from fewest.machine import resources
from fewest.reading.loader import load_document
from fewest.reading.puzzle import read_puzzle
from tests.helpers.cells import BAD, ROOT
from tests.helpers.command_line import run

REMEDIES = {
    "pattern-copy": ("[player, _, block, _..., _]", "[player, empty, block, _..., _]"),
    "goal-some": ("{box: {on: target}}", "{every: box, on: target}"),
    "start-solved": ("at: [0, 0]", "at: [0, 1]"),
    "condition-always": ("x >= 0", "x < 3"),
    "forbid-unused": ("wolf == 3", "wolf == 2"),
    "rule-unused": ("left == 1 and right == 1", "left == 1 and right == 0"),
}


def _codes(text: str) -> set[str]:
    compiled = load("drawn.yaml", text=text)
    return {found.code for found in (*compiled.warnings, *compiled.unused_rules())}


@pytest.mark.parametrize("code", sorted(REMEDIES))
def test_a_warning_ends_with_its_remedy(code: str) -> None:
    text = (BAD / f"{code}.yaml").read_text(encoding="utf-8")
    before, after = REMEDIES[code]
    assert before in text
    assert _codes(text) == {code}
    assert _codes(text.replace(before, after)) == set()


def test_other_words_with_the_same_meaning_also_end_a_warning() -> None:
    some = (BAD / "goal-some.yaml").read_text(encoding="utf-8")
    assert _codes(some.replace("{box: {on: target}}", "{some: box, on: target}")) == set()
    copied = (BAD / "pattern-copy.yaml").read_text(encoding="utf-8")
    assert _codes(copied.replace("[player, _, block,", "[player, block, block,")) == set()
    solved = (BAD / "start-solved.yaml").read_text(encoding="utf-8")
    assert _codes(f"{solved}expect: {{steps: 0}}\n") == set()


@pytest.mark.parametrize(
    ("placement", "is_warned_of"),
    [("on: spot", True), ("touches: right", True), ("at: [0, 2]", False), ("covers: spot", False)],
)
def test_a_goal_warns_of_some_piece_if_several_pieces_can_satisfy_it(
    placement: str, is_warned_of: bool
) -> None:
    text = f"""puzzle: x
legend: {{".": floor, o: o, "+": spot}}
pieces: {{o: {{}}}}
terrain: [spot]
moves: {{go: {{slide: o}}}}
goal: {{o: {{{placement}}}}}
board: |
  oo+
  ...
"""
    assert ("goal-some" in _codes(text)) == is_warned_of


def test_forbid_conditions_may_name_a_piece() -> None:
    text = (BAD / "goal-some.yaml").read_text(encoding="utf-8")
    corrected = text.replace("{box: {on: target}}", "{every: box, on: target}")
    assert _codes(f"{corrected}forbid: {{box: {{on: floor}}, player: {{on: target}}}}\n") == set()


def test_a_part_of_a_goal_that_is_always_true_is_named() -> None:
    text = "puzzle: x\nvariables: {x: {values: range(3), initial: 0}}\nmoves: {up: {when: x < 2, set: {x: x + 1}}}\n"
    found = load("x.yaml", text=f"{text}goal: {{all: [x == 2, x < 3]}}\n").warnings
    assert [(warning.code, warning.line) for warning in found] == [("condition-always", 4)]
    assert "`x < 3`" in found[0].message


def test_each_part_of_forbid_that_forbids_nothing_is_named() -> None:
    text = """puzzle: x
variables: {x: {values: range(4), initial: 0}}
moves: {up: {when: x < 3, set: {x: x + 1}}, down: {when: x > 0, set: {x: x - 1}}}
goal: x == 1
forbid: ["x == 2", "x == 3"]
"""
    found = load("x.yaml", text=text).unused_rules()
    assert [(one.code, one.line, one.column) for one in found] == [("forbid-unused", 5, 20)]
    assert "the 2 positions" in found[0].message
    at_start = text.replace('"x == 3"', '"x == 0"')
    assert [one.code for one in load("x.yaml", text=at_start).unused_rules()] == ["rule-unused"]
    assert load("x.yaml", text=text).unused_rules(positions=1) == ()


def test_a_goal_that_other_positions_satisfy_is_only_out_of_reach() -> None:
    text = """
puzzle: x
legend: {".": floor, a: a, "#": wall}
pieces: {a: {}}
moves: {step: {slide: a}}
goal: {a: {at: [0, 3]}}
board: "a.#."
"""
    puzzle = load("x.yaml", text=text)
    (warning,) = puzzle.warnings
    assert warning.message == "no position that can be reached satisfies this goal"
    assert puzzle.at("..#a").hint().status == "solved"


@pytest.mark.parametrize(
    "then", ["back: {when: y == 1, set: {y: 0}}", "on: {when: y == 1, set: {x: 1 - x}}"]
)
def test_a_move_that_the_consequences_undo_or_do_not_allow_has_true_conditions(then: str) -> None:
    text = f"""
puzzle: x
variables: {{x: {{values: [0, 1], initial: 0}}, y: {{values: [0, 1], initial: 0}}}}
moves: {{one: {{set: {{x: 1}}}}, flip: {{set: {{y: 1 - y}}}}}}
then: {{{then}}}
goal: x == 1
"""
    idle = [
        found.message for found in load("x.yaml", text=text).warnings if found.code == "rule-idle"
    ]
    assert idle == [
        "`flip` can never apply, because wherever it fits, the consequences undo it or do not allow it"
    ]
    never = text.replace("flip: {", "flip: {when: x > 1, ")
    idle = [
        found.message for found in load("x.yaml", text=never).warnings if found.code == "rule-idle"
    ]
    assert idle == ["`flip` can never apply, because `when` is never true where the rule fits"]


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (
            "{before: [p, coin], after: [empty, p], directions: vertical}",
            "no position that can be reached has the pieces where the rule requires them",
        ),
        ("{when: x == 3, set: {y: 1}}", "`when` is false in every position that can be reached"),
        (
            "{slide: p, when: x == 3}",
            "`when` is false wherever the rule fits in a position that can be reached",
        ),
        (
            '{set: {y: "0 if x < 3 else 1"}}',
            "the rule changes nothing in any position that can be reached",
        ),
        (
            "{cycle: [[1, 0], [1, 1]]}",
            "the rule changes nothing in any position that can be reached",
        ),
    ],
)
@pytest.mark.parametrize("then", ["", "then: {far: {when: x == 2 and y == 1, set: {x: x + 2}}}"])
def test_the_reason_for_an_idle_rule_tells_what_cannot_be_reached(
    rule: str, why: str, then: str
) -> None:
    text = f"""
puzzle: x
legend: {{".": floor, p: p, o: coin}}
pieces: {{p: {{}}, coin: {{}}}}
variables: {{x: {{values: range(4), initial: 0}}, y: {{values: [0, 1], initial: 0}}}}
moves:
  walk: {{before: [p, empty], after: [empty, p], directions: right, when: x < 2, set: {{x: x + 1}}}}
  idle: {rule}
{then}
goal: {{p: {{at: [0, 2]}}}}
board: |
  .p..o
  .....
"""
    found = [one for one in load("x.yaml", text=text).warnings if one.code == "rule-idle"]
    assert [one.message for one in found] == [f"`idle` can never apply, because {why}"]
    assert (found[0].hint is None) == ("pieces" not in why)


def test_a_part_of_forbid_that_belongs_to_the_model_is_not_named(tmp_path: Path) -> None:
    model = "model: m\nvariables: {x: {values: range(4), initial: 0}}\nmoves: {up: {set: {x: 1}}}\n"
    (tmp_path / "m.yaml").write_text(f"{model}forbid: x == 3\n", encoding="utf-8")
    puzzle = "puzzle: p\nmodel: ./m.yaml\ngoal: x == 1\n"
    (tmp_path / "p.yaml").write_text(puzzle, encoding="utf-8")
    assert load(tmp_path / "p.yaml").unused_rules() == ()
    (tmp_path / "p.yaml").write_text(f"{puzzle}forbid: x == 3\n", encoding="utf-8")
    assert [one.code for one in load(tmp_path / "p.yaml").unused_rules()] == ["forbid-unused"]


def test_every_forbid_condition_of_a_shipped_puzzle_can_become_true() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "puzzles").rglob("*.yaml")}
    forbidding = [path for path, text in texts.items() if "\nforbid:" in text]
    assert len(forbidding) >= 4
    for path in forbidding:
        assert load(path).unused_rules(seconds=20) == ()


@pytest.mark.parametrize("condition", ["count(box) == 2", "{count: {box: 2}}", "count(box) > 1"])
def test_a_number_of_pieces_that_never_changes_is_always_true(condition: str) -> None:
    text = f"""puzzle: x
model: sokoban
goal: {{all: [{{every: target, holds: box}}, {condition}]}}
board: |
  ######
  #@$ .#
  # $ .#
  ######
"""
    assert _codes(text) == {"condition-always"}
    take = "moves: {take: {before: [player, box], after: [empty, player]}}\n"
    assert _codes(text + take) == set()
    corner = text.replace(condition, '"count(box, corner) == 0"').replace("# .#", "#.##")
    assert _codes(corner.replace("model:", "terrain: {corner: {cells: [[1, 1]]}}\nmodel:")) == set()


@pytest.mark.parametrize("quantifier", ["every", "some"])
def test_places_that_are_all_the_places_of_a_kind_are_always_true(quantifier: str) -> None:
    text = f"""puzzle: x
model: sokoban
goal: {{all: [{{every: target, holds: box}}, {{{quantifier}: box, on: "floor|target"}}]}}
board: |
  ######
  #@$ .#
  ######
"""
    assert _codes(text) == {"condition-always"}
    assert _codes(text.replace("floor|target", "target")) == set()
    take = "moves: {take: {before: [player, box], after: [empty, player]}}\n"
    assert _codes(text + take) == ({"condition-always"} if quantifier == "every" else set())


OVER_A_MODEL = """puzzle: own-letters
model: sliding-blocks
pieces: {other: {letters: D, directions: horizontal}}
moves: {slide: {slide: any}}
board: |
  D.A
  ...
"""


def test_over_a_model_a_letter_of_the_own_kind_is_its_own() -> None:
    puzzle = load("own.yaml", text=f"{OVER_A_MODEL}goal: {{D: {{at: [0, 1]}}}}\n")
    assert sorted(piece.kind for piece in puzzle.puzzle.classes) == ["block", "other"]
    assert puzzle.solve().cost == 1
    with pytest.raises(DocumentError) as error:
        load("own.yaml", text=OVER_A_MODEL.replace("other:", "third: {letters: D}, other:"))
    assert [found.code for found in error.value.diagnostics] == ["letter-claimed"]


def test_no_puzzle_that_ships_has_a_warning_when_it_is_read() -> None:
    files = [*(ROOT / "puzzles").rglob("*.yaml"), *map(Path, dict(resources.models()).values())]
    assert len(files) > 250
    assert {
        path.name: [found.code for found in warnings]
        for path in files
        if (warnings := _warnings_of(path))
    } == {}


def _warnings_of(path: Path) -> tuple[object, ...]:
    loaded = load_document(path)
    if loaded.document.puzzle is None:
        return loaded.report.diagnostics
    return read_puzzle(loaded, {}).warnings


def test_a_condition_on_a_parameter_causes_no_warning() -> None:
    text = """puzzle: x
parameters: {n: 3}
variables: {x: {values: range(4), initial: 0}}
moves: {up: {when: x <= n, set: {x: "min(x + 1, 3)"}}}
goal: x == 3
"""
    assert _codes(text) == set()
    assert _codes(text.replace("x <= n", "x <= 3")) == {"condition-always"}


def test_the_error_about_can_with_a_rule_under_then_gives_the_location_of_the_rule() -> None:
    text = """puzzle: p
variables: {x: {values: range(3), initial: 0}}
moves: {go: {when: can(rest), set: {x: 1}}}
then: {rest: {when: x == 1, set: {x: 2}}}
goal: x == 2
"""
    with pytest.raises(DocumentError) as error:
        load("p.yaml", text=text)
    (found,) = error.value.diagnostics
    assert (
        found.message == "`rest` is a rule under `then`, but can() tests only rules under `moves`"
    )


def _valid_documents_with_warnings() -> list[Path]:
    found = []
    for path in sorted(BAD.glob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        try:
            if "\npuzzle:" in f"\n{text}" and _codes(text):
                found.append(path)
        except DocumentError:
            continue
    return found


def test_solve_and_watch_print_the_warnings_that_check_prints() -> None:
    files = _valid_documents_with_warnings()
    assert len(files) >= 15
    for path in files:
        # The document about exact goals has too many positions; its warning does not need an answer.
        seconds = 0.2 if path.stem == "goal-exact" else 5
        checked = check_document(path, Effort(seconds=seconds))
        if checked.errors is not None or load(path).puzzle.goal is None:
            continue
        solved = run("solve", str(path), "--time", str(seconds))
        watched = look_at(path, {}, None, seconds, None)
        for warning in checked.warnings:
            assert warning in solved.stderr, path.name
        assert sorted(checked.warnings) == sorted(d.format() for d in watched.diagnostics)


LARGE = """puzzle: shift
legend: {".": floor}
pieces: {across: {letters: X, directions: horizontal}, down: {letters: CD, directions: vertical}}
moves: {slide: {slide: "across|down"}, shift: {cycles: RINGS}}
board: |
  C..D
  C..D
  XX..
goal: {X: {touches: right}}
"""


@pytest.mark.parametrize(
    ("rings", "code", "names"),
    [
        # the pieces move only along the rings
        ("[[[0, 0], [1, 0], [2, 0]], [[0, 1], [1, 1], [2, 1]]]", "rule-idle", "`C` and `X`"),
        ("[[[0, 0], [1, 0], [2, 0]]]", "rule-idle", "`C` and `X`"),
        ("[[[0, 3], [1, 3], [2, 3]]]", "rule-idle", "`D`"),
    ],
)
def test_a_ring_that_large_pieces_block_names_these_pieces(
    rings: str, code: str, names: str
) -> None:
    compiled = load("x.yaml", text=LARGE.replace("RINGS", rings))
    (found,) = (*compiled.warnings, *compiled.unused_rules())
    assert found.code == code
    message = f"{found.message} {found.hint}"
    assert "a ring does not turn while a piece of several cells is on it" in message
    assert message.count("`") == names.count("`") + 2 and names in message


def test_a_rule_that_no_position_allows_names_the_pieces_on_its_ring() -> None:
    text = LARGE.replace("  C..D\n", "  CE.D\n", 1).replace("  XX..\n", "  XX..\n  ....\n")
    text = text.replace("pieces: {", "pieces: {small: {letters: E}, ").replace(
        '"across', '"small|across'
    )
    text = text.replace("RINGS", "[[[0, 0], [1, 0], [2, 0], [3, 0]]]")
    (found,) = load("x.yaml", text=text).unused_rules()
    assert found.code == "rule-unused" and found.hint is not None
    assert found.hint.endswith("a piece of several cells is on it; at the start: `C` and `X`")


def test_the_error_of_a_stuck_ring_names_each_piece_that_blocks_it() -> None:
    text = LARGE.replace('slide: {slide: "across|down"}', "slide: {slide: across}")
    rings = '{cycles: "[[[i, j] for i in range(3)]]", for: {j: [0, 3]}}'
    with pytest.raises(DocumentError) as error:
        load("x.yaml", text=text.replace("{cycles: RINGS}", rings))
    (found,) = error.value.diagnostics
    assert found.code == "cycle-piece" and "`C` and `D`" in found.message


def test_check_names_a_rule_that_applies_in_no_position() -> None:
    checked = check_document(BAD / "rule-unused.yaml", Effort())
    (warning,) = checked.warnings
    assert "rule-unused" in warning


def test_a_shipped_puzzle_has_no_warning_about_its_task() -> None:
    for _, _, path in resources.puzzles()[::8]:
        compiled = load(path)
        assert (*compiled.document_warnings, *compiled.unused_rules_of_few_positions) == (), (
            path.name
        )


def test_a_copy_of_a_shipped_puzzle_and_other_parameters_are_checked() -> None:
    name = "machinarium-arrows"
    shipped, other = load(name), load(name, {"n": 1})
    assert shipped.warnings_with(shipped.solve()) == ()
    found = other.warnings_with(other.solve())
    assert found == (*other.document_warnings, *other.unused_rules_of_few_positions)


def test_a_number_of_pieces_of_which_some_are_captured_is_not_always_the_same() -> None:
    """The piece on the left is never captured, so it alone has an exactly-one group."""
    text = """puzzle: x
board: "b.#c"
legend: {".": floor, "#": wall, b: b, c: b on spot}
terrain: [spot]
pieces: {b: {}}
moves:
  step: {before: [b, empty], after: [empty, b]}
  take: {before: [b on spot], after: [empty]}
goal: {all: [{count: {b: 1}}, {b: {at: [0, 1]}}]}
"""
    assert _codes(text) == set()
    assert _codes(text.replace("{count: {b: 1}}", "count(b) >= 1")) == {"condition-always"}


def test_a_condition_of_a_consequence_may_be_false_between_a_move_and_the_next_position() -> None:
    """After `take`, there is no `b` until `hop` applies; without its condition, `alert` would make x 1."""
    text = """puzzle: x
board: "ab..."
legend: {".": floor, a: a, b: b, h: h}
pieces: {a: {}, b: {}, h: {}}
variables: {x: {values: range(2), initial: 0}}
moves:
  take: {before: [a, b, empty], after: [a, h, empty]}
  step: {before: [a, empty], after: [empty, a]}
then:
  alert: {set: {x: 1}, when: count(b) >= 1, once: true}
  hop: {before: [h, empty], after: [empty, b]}
goal: {all: [{b: {at: [0, 2]}}, x == 0]}
"""
    assert _codes(text) == set()
    assert load("x.yaml", text=text).solve().cost == 1
    always = text.replace(" when: count(b) >= 1,", "")
    assert load("x.yaml", text=always).solve().status == "unsolvable"


@pytest.mark.parametrize("command", ["solve", "check", "show", "explore", "export --to asp"])
def test_twenty_warnings_are_printed_and_the_others_are_counted(
    command: str, tmp_path: Path
) -> None:
    path = tmp_path / "idle.yaml"
    idle = "".join(f"  idle{i}: {{when: x == 2, set: {{x: {i % 3}}}}}\n" for i in range(45))
    path.write_text(
        "puzzle: idle\nvariables: {x: {values: range(3), initial: 0}}\n"
        f"moves:\n  go: {{when: x == 0, set: {{x: 1}}}}\n{idle}goal: x == 1\n"
    )
    first, *more = command.split()
    text = run(first, str(path), *more).stderr
    assert text.count("warning[") == 20 and text.endswith("\nand 25 more warnings\n"), text
    if command == "check":
        (found,) = json.loads(run("check", str(path), "--json").stdout)
        assert len(found["warnings"]) == 45


def test_warnings_do_not_hide_the_errors_of_a_document() -> None:
    warning = Diagnostic("warning", "rule-idle", "x.yaml", 1, 1, 1, "a warning")
    error = Diagnostic("error", "unknown-key", "x.yaml", 2, 1, 1, "an error")
    lines = str(DocumentError([warning] * 1_500 + [error])).splitlines()
    assert "an error" in lines[0] and lines[-1] == "and 1,451 more"
