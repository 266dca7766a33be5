"""Small goals become one list of cubes; all engines agree for goals as one list and as several."""

from __future__ import annotations

import time
from math import prod
from pathlib import Path

import pytest

import fewest
from fewest.certificates import grounded_task
from fewest.commands.check import Effort, check_document
from fewest.commands.export import export
from fewest.commands.verify import CheckOptions, verify_file
from fewest.engines import ENGINES
from fewest.errors import UsageError
from fewest.grounding.ground import ground
from fewest.planning.sat.profile import profiles
from fewest.playing.exhaust import exhaust
from tests.helpers.planners import cheapest, read_pddl, read_sas

TUBES = """
puzzle: tubes
parameters: {n: 3}
variables:
  c[b, h]: {for: {b: range(n), h: range(3)}, values: range(3), initial: 1 if h == 1 else 0}
moves:
  put: {for: {b: range(n), h: range(3), v: range(3)}, when: "c[b, h] == 0", set: {"c[b, h]": v}}
goal: GOAL
metrics: {puts: {}, twice: {count: {put: 2}}}
"""
EVERY = '"all(c[b, 0] == c[b, h] or c[b, h] == 2 for b in range(n) for h in range(3))"'


def tubes(goal: str, most_goals: int, n: int = 3) -> fewest.CompiledPuzzle:
    compiled = fewest.load("tubes.yaml", text=TUBES.replace("GOAL", goal), parameters={"n": n})
    compiled.__dict__["grounded"] = ground(compiled.puzzle, most_goals=most_goals)
    return compiled


def test_every_engine_finds_the_same_as_with_one_list() -> None:
    several, one = tubes(EVERY, 0), tubes(EVERY, 200_000)
    assert len(several.grounded.goal_lists) >= 3
    assert not one.grounded.further_goals
    minimum = one.solve(engine="bfs").cost
    assert minimum == 6
    supporting = []
    for engine in ENGINES:
        try:
            found = several.solve(engine=engine)
        except UsageError as refused:
            assert "combined cases" in refused.message
            continue
        assert (found.status, found.cost) == ("optimal", minimum), engine
        supporting.append(engine)
    assert supporting == ["auto", "bfs", "python", "bidirectional", "astar", "sat", "asp"]


@pytest.mark.parametrize("metric", ["puts", "twice"])
def test_goal_states_are_those_of_the_reference(metric: str) -> None:
    several = tubes(EVERY, 0)
    reach = exhaust(several.puzzle, several.puzzle.metrics[metric], 5_000)
    assert reach.num_goal_states > 1
    for engine in ("bfs", "python"):
        found = several.solve(metric, engine=engine, exhaust=True).statistics
        assert found["goal_states"] == reach.num_goal_states
    assert several.explore(metric).num_goal_states == reach.num_goal_states


def test_every_profile_of_the_encoding_requires_every_list() -> None:
    several = tubes(EVERY, 0)
    minimum = several.solve(engine="bfs").cost
    for profile, _ in profiles():
        assert several.solve(engine="sat", encoding=profile).cost == minimum, profile


def test_a_goal_that_no_position_meets_is_unsolvable() -> None:
    never = '"all(any(c[b, h] == 1 for h in range(3)) and c[b, 0] + c[b, 1] > 9 for b in range(n))"'
    assert tubes(never, 0).solve().status == "unsolvable"


def test_conditions_are_as_many_cubes_as_their_sum() -> None:
    began = time.process_time()
    task = tubes(EVERY, 2_000, 12).grounded
    assert len(task.goal_lists) >= 12
    assert sum(map(len, task.goal_lists)) <= 12 * 8
    assert time.process_time() - began < 2


BOXES = """
puzzle: boxes
model: sokoban
goal: all(cell(r, c) != box or terrain(r, c) == target for r in range(ROWS) for c in range(9))
board: |
"""
ROOM = ["#########", "#       #", "#       #", "# $@ $  #", "#    .  #", "#      .#", "#########"]


STUCK = """
puzzle: stuck
model: peg-solitaire
board: |
  ##ooo##
  ##ooo##
  ooooooo
  ooo.ooo
  ooooooo
  ##ooo##
  ##ooo##
goal: not can(jump)
"""


@pytest.mark.parametrize("engine", ["bfs", "astar", "sat"])
def test_no_jump_is_possible_has_a_list_for_each_jump(engine: str) -> None:
    """As one list of disjoint cases, this goal would be refused. In every position before the sixth jump, a jump is
    possible."""
    compiled = fewest.load("stuck.yaml", text=STUCK)
    assert len(compiled.grounded.goal_lists) == 76  # the jumps of the board
    assert compiled.solve(engine=engine, audit=500).cost == 6


@pytest.mark.parametrize("most_goals", [0, 2_000])
def test_no_box_off_the_targets_is_one_cube(most_goals: int) -> None:
    text = BOXES.replace("ROWS", str(len(ROOM))) + "".join(f"  {row}\n" for row in ROOM)
    compiled = fewest.load("boxes.yaml", text=text)
    task = compiled.__dict__["grounded"] = ground(compiled.puzzle, most_goals=most_goals)
    assert (len(task.goal), task.further_goals) == (1, ())
    usual = "".join(line + "\n" for line in text.splitlines() if not line.startswith("goal:"))
    expected = fewest.load("usual.yaml", text=usual).solve("pushes")
    assert compiled.solve("pushes").cost == expected.cost > 3


def test_more_boxes_than_targets_are_refused_immediately() -> None:
    rows = [row.replace("$  #", "$ $#") for row in ROOM]
    text = BOXES.replace("ROWS", str(len(rows))) + "".join(f"  {row}\n" for row in rows)
    assert text.count("$") == 3
    compiled = fewest.load("boxes.yaml", text=text)
    assert compiled.grounded.goal == ()
    assert compiled.solve("pushes").status == "unsolvable"


def test_code_that_supports_one_list_of_goal_cubes_reports_this(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    several = tubes(EVERY, 0)
    cases = prod(map(len, several.grounded.goal_lists))
    monkeypatch.setattr(grounded_task, "MAX_GOALS", cases - 1)
    with pytest.raises(UsageError, match=f"lists of {cases:,} combined cases"):
        several.prove(tmp_path / "it.proof")


COLUMNS = """
puzzle: columns
variables: {"c[b, h]": {for: {b: range(6), h: range(2)}, values: range(4), initial: b + h if b + h < 2 else 0}}
moves: {put: {for: {b: range(2), h: range(2), v: range(4)}, when: "abs(c[b, h] - v) == 1", set: {"c[b, h]": v}}}
goal: all(c[b, 0] == c[b, 1] for b in range(6))
expect: {moves: 2}
"""


@pytest.mark.parametrize("kinds", [("plan", "layers"), ("plan", "bound"), ("plan", "clauses")])
def test_a_certificate_multiplies_out_the_lists_of_a_goal(
    kinds: tuple[str, ...], tmp_path: Path
) -> None:
    compiled = fewest.load("columns.yaml", text=COLUMNS)
    assert [len(cubes) for cubes in compiled.grounded.goal_lists] == [4, 4]
    assert compiled.prove(tmp_path / "it.proof", kinds=kinds).kinds == kinds
    for by in ("rules", "task"):
        report = verify_file(tmp_path / "it.proof", manner=CheckOptions(by, audit="off"))
        assert report.rejected is None
        assert {verdict.value for verdict in report.verdicts} == {(2,)}


def test_an_answer_without_a_certificate_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "columns.yaml"
    path.write_text(COLUMNS, encoding="utf-8")
    effort = Effort(certificate_states=1_000)
    assert [row.verdict for row in check_document(path, effort).rows] == ["ok", "ok"]
    monkeypatch.setattr(grounded_task, "MAX_GOALS", 15)
    found = check_document(path, effort)
    assert (found.verdict, found.errors) == ("open", None)
    assert [row.verdict for row in found.rows] == ["ok", "open"]
    assert "expected 2, no certificate: a certificate needs a goal" in found.text()[-1][1]
    assert "2 lists of 16 combined cases" in found.to_json()["rows"][-1]["reason"]


@pytest.mark.parametrize("engine", ["bfs", "python"])
def test_symmetries_take_lists_to_lists(engine: str) -> None:
    several = tubes(EVERY, 0)
    plain = several.solve(engine=engine, symmetry="off", exhaust=True)
    found = several.solve(engine=engine, symmetry="on", exhaust=True)
    assert (found.status, found.cost) == (plain.status, plain.cost)
    assert found.statistics["goal_states"] == plain.statistics["goal_states"]
    assert found.statistics["symmetry"]["order"] >= 2
    # The two tubes have different conditions, so no symmetry may exchange them.
    goal = "(c[0, 0] == 2 or c[0, 2] == 2) and (c[1, 0] == 1 or c[1, 2] == 2)"
    two = tubes(f'"{goal}"', 0)
    assert len(two.grounded.goal_lists) == 2
    apart = two.solve(engine=engine, symmetry="on")
    assert (apart.status, apart.cost) == ("optimal", two.solve(engine=engine, symmetry="off").cost)


def test_planners_check_one_list_after_the_other() -> None:
    several, one = tubes(EVERY, 0), tubes(EVERY, 200_000)
    minimum = one.solve(engine="bfs").cost
    texts = [text.decode() for text in export(several, "pddl").files.values()]
    domain, problem = sorted(texts, key=lambda text: "(:init" in text)
    assert "condition-1-met" in domain
    assert cheapest(*read_pddl(domain, problem)) == minimum
    assert cheapest(*read_sas(export(several, "sas").text())) == minimum
    assert "too(1)" in export(several, "asp").text()


def test_planners_check_all_lists_in_one_state() -> None:
    text = """
puzzle: switch
variables: {a: {values: range(5), initial: 0}, b: {values: range(2), initial: 0}, c: {values: range(2), initial: 0}}
moves:
  last: {when: "a == 4", set: {c: 1}}
  up: {when: "a < 4", set: {a: a + 1, b: 1 - b}}
  down: {when: "a > 0", set: {a: a - 1, b: 1 - b}}
goal: GOAL
"""
    for goal, expected in (
        ("(a == 1 or a == 4) and (b == 0 or c == 1)", 4),
        # Reaching one list after the other would take 2 moves.
        ("(a == 1 or a == 3) and (b == 0 or c == 1)", 6),
    ):
        compiled = fewest.load("switch.yaml", text=text.replace("GOAL", goal))
        compiled.__dict__["grounded"] = ground(compiled.puzzle, most_goals=0)
        assert len(compiled.grounded.goal_lists) == 2
        assert compiled.solve(engine="bfs").cost == expected
        assert cheapest(*read_sas(export(compiled, "sas").text())) == expected
