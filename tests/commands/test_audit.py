"""The audit rejects every kind of wrong task, and accepts correct tasks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import nullcontext
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

import fewest
from fewest.cli import console, error_handling
from fewest.commands import audit as audits
from fewest.commands.audit import AuditLimits, audit_option, compare_positions, walk
from fewest.commands.audit.budget import FLOOR, NO_GOAL_FLOOR, SHARE, AuditBudgets
from fewest.commands.audit.comparison import Comparison, ComparisonStopped
from fewest.commands.audit.disagreement import DisagreementError
from fewest.commands.check import Effort, check_document
from fewest.errors import Exit, UsageError
from fewest.model.task import Group, Task
from tests.helpers.command_line import run
from tests.helpers.engines_here import engines_run_here

DOORS = """
puzzle: doors
board: |
  @..o.
  .x.._
  .....
legend: {".": floor, "@": man, x: box, o: button, _: exit}
terrain: [button, exit]
pieces: {man: {}, box: {}}
variables: {open: {values: range(2), initial: 0}}
moves:
  walk: {before: [man, empty], after: [empty, man]}
  push: {before: [man, box, empty], after: [empty, man, box]}
then:
  press: {when: "open == 0 and cell(0, 3) == box", set: {open: 1}}
forbid: [{box: {on: exit}}]
goal: open == 1 and row(man) == 1
metrics:
  turns: {count: {walk: 1, push: 2}, merge: line}
  steps: {count: {walk: 1, push: 2}}
"""

LINE = """
puzzle: line
parameters: {n: {default: 4, min: 2, max: 9}}
variables: {x: {values: "range(n + 2)", initial: 0}}
moves:
  go: {when: "x < n", set: {x: x + 1}}
  stay: {when: "x > 0", set: {x: x - 1}}
goal: "x == n"
"""


@pytest.fixture(autouse=True)
def _fresh_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test the audit budget of a new process; otherwise tests of the same rules would share it."""
    monkeypatch.setattr(audits, "LEDGER", AuditBudgets())


def doors() -> fewest.CompiledPuzzle:
    return fewest.load("doors.yaml", text=DOORS)


def push_of(task: Task) -> int:
    return next(i for i, operator in enumerate(task.operators) if operator.rule == "push")


def change_operator(task: Task, **changed: Any) -> Task:
    number = push_of(task)
    operators = list(task.operators)
    operators[number] = replace(operators[number], **changed)
    return replace(task, operators=tuple(operators))


def lose_operator(task: Task) -> Task:
    number = push_of(task)
    return replace(task, operators=task.operators[:number] + task.operators[number + 1 :])


def require_less(task: Task) -> Task:
    """Change the task so that walks ignore obstacles."""
    operators = tuple(
        replace(o, mask=o.value | o.flip) if o.rule == "walk" else o for o in task.operators
    )
    return replace(task, operators=operators)


def lose_fact(task: Task) -> Task:
    """Remove the fact that the variable is 1."""
    return replace(task, fact_of_value={(0, 0): task.fact_of_value[0, 0]})


def file_wrongly(task: Task) -> Task:
    operator = task.operators[push_of(task)]
    fact = (operator.flip & ~operator.value).bit_length() - 1
    return change_operator(task, from_fact=fact)


WRONG: dict[str, tuple[Callable[[Task], Task], str]] = {
    "a move is lost": (lose_operator, "missing"),
    "a move requires less": (require_less, "extra"),
    "a move counts as another rule": (lambda t: change_operator(t, rule="walk"), "missing"),
    "a move goes another way": (lambda t: change_operator(t, direction=None), "missing"),
    "no search finds a move": (file_wrongly, "index"),
    "the goal is too narrow": (lambda t: replace(t, goal=()), "goal"),
    "the goal is too wide": (lambda t: replace(t, goal=((0, 0),)), "no goal"),
    "nothing is forbidden": (lambda t: replace(t, forbid=()), "extra"),
    "all is forbidden": (lambda t: replace(t, forbid=((0, 0),)), "missing"),
    "a group is too small": (lambda t: replace(t, exactly=(Group((0, 1), 1),)), "invariant"),
    "two facts do not exclude each other": (
        lambda t: replace(t, at_most_one=(tuple(range(len(t.facts))),)),
        "invariant",
    ),
    "a fact is lost": (lose_fact, "state"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_each_kind_of_wrong_task_is_found(wrong: str) -> None:
    compiled = doors()
    change, kind = WRONG[wrong]
    task, metric = change(compiled.task), compiled.task.metrics["turns"]
    with pytest.raises(DisagreementError) as caught:
        compare_positions(compiled.puzzle, task, metric)
    assert caught.value.difference.kind == kind
    text = str(caught.value)
    assert "by the rules:" in text
    assert "by the compiled task:" in text
    assert "no answer" in text


def test_a_right_task_passes_with_all_its_positions() -> None:
    compiled = doors()
    for metric in compiled.task.metrics.values():
        found = compare_positions(compiled.puzzle, compiled.task, metric)
        assert found.is_whole
        assert found.positions == compiled.explore().num_states


@pytest.mark.parametrize(
    "name", ["bird", "jugs", "falling-snake", "landslide", "loopover", "fifteen-15"]
)
def test_shipped_documents_pass(name: str) -> None:
    compiled = fewest.load(name)
    for metric in compiled.grounded.metrics.values():
        extent = AuditLimits(positions=40)
        assert compare_positions(compiled.puzzle, compiled.grounded, metric, extent).positions


def test_the_position_of_a_difference_is_the_nearest_to_the_start() -> None:
    compiled = doors()
    solved = compiled.solve("steps")
    assert solved.plan is not None
    task = replace(compiled.task, goal=())
    with pytest.raises(DisagreementError) as caught:
        compare_positions(
            compiled.puzzle, task, None, AuditLimits(positions=1000), solved.plan.operators
        )
    there = caught.value.difference.position
    assert compiled.at(there).solve("steps").cost == 0
    assert solved.cost == fewest_moves_to(compiled, there)


def fewest_moves_to(compiled: fewest.CompiledPuzzle, there: Any) -> int | None:
    """The minimum by the rules alone."""
    from fewest.playing.exhaust import exhaust

    reach = exhaust(compiled.puzzle, compiled.puzzle.metrics["steps"])
    return reach.costs[there][0]


def broken(compiled: fewest.CompiledPuzzle) -> fewest.CompiledPuzzle:
    """The same puzzle, but with a task that contains no operator for `push`."""
    task = compiled.grounded
    remaining = tuple(operator for operator in task.operators if operator.rule != "push")
    compiled.__dict__["grounded"] = replace(task, operators=remaining)
    return compiled


CALLS: dict[str, Callable[[fewest.CompiledPuzzle], Any]] = {
    "solve": lambda compiled: compiled.solve("steps"),
    "solve by sat": lambda compiled: compiled.solve("steps", engine="sat", last=3),
    "explore": lambda compiled: compiled.explore("steps"),
    "solutions": lambda compiled: compiled.solutions("steps", listed=1),
    "hint": lambda compiled: compiled.hint(metric="steps"),
    "explain": lambda compiled: compiled.explain_deadlock(metric="steps"),
}


@pytest.mark.parametrize("compute", CALLS)
def test_a_difference_is_never_an_answer(compute: str) -> None:
    with pytest.raises(DisagreementError):
        CALLS[compute](broken(doors()))


def test_a_difference_ends_a_proof_before_a_file_is_written(tmp_path: Any) -> None:
    with pytest.raises(DisagreementError):
        broken(doors()).prove(tmp_path / "it.proof", "steps")
    assert not list(tmp_path.iterdir())


def test_a_plan_that_cannot_be_replayed_is_reported_as_a_difference() -> None:
    compiled = doors()
    task = compiled.grounded
    operator = next(o for o in task.operators if o.rule == "walk")
    wrong = replace(operator, mask=0, value=0, flip=task.goal[0][1] & ~task.initial, from_fact=-1)
    compiled.__dict__["grounded"] = replace(task, operators=(*task.operators, wrong))
    with pytest.raises(DisagreementError, match="`walk"):
        compiled.solve("steps", engine="python", audit="off")


def walk_into_the_goal(task: Task) -> Task:
    """Change the task so that the first step down from the start also opens the door."""
    number = next(
        i
        for i, o in enumerate(task.operators)
        if o.rule == "walk" and o.direction.name == "down" and o.is_applicable(task.initial)
    )
    walk = task.operators[number]
    door = 1 << task.fact_of_value[0, 0] | 1 << task.fact_of_value[0, 1]
    opening = replace(
        walk, mask=walk.mask | door, value=walk.value | task.initial & door, flip=walk.flip | door
    )
    operators = (*task.operators[:number], opening, *task.operators[number + 1 :])
    return replace(task, operators=operators)


UNPLAYABLE: dict[str, tuple[Callable[[Task], Task], tuple[str, ...]]] = {
    "a walk into the goal": (walk_into_the_goal, ("solve", "solutions", "hint", "explain")),
    "the goal is too wide": (WRONG["the goal is too wide"][0], ("solve", "hint", "explain")),
    "a fact is lost": (lose_fact, ("solve", "solutions", "explain")),
}
"""Wrong tasks with plans or hints that the rules reject, and the commands that replay them."""


@pytest.mark.parametrize(
    ("wrong", "compute"),
    [(wrong, compute) for wrong, (_, each) in UNPLAYABLE.items() for compute in each],
)
def test_a_plan_that_the_rules_cannot_play_is_a_difference_even_without_an_audit(
    wrong: str, compute: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEWEST_AUDIT", "off")
    compiled = doors()
    compiled.__dict__["grounded"] = UNPLAYABLE[wrong][0](compiled.grounded)
    with pytest.raises(DisagreementError, match="by the compiled task"):
        CALLS[compute](compiled)


@pytest.mark.parametrize(("audit", "is_found"), [("off", False), (1, True)])
def test_solutions_without_plans_replays_one_only_with_an_audit(audit: Any, is_found: bool) -> None:
    compiled = doors()
    compiled.__dict__["grounded"] = walk_into_the_goal(compiled.grounded)
    with pytest.raises(DisagreementError) if is_found else nullcontext():
        compiled.solutions("steps", audit=audit)


def test_a_check_names_the_document_and_ends_with_70(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "doors.yaml"
    path.write_text(DOORS)
    task = broken(doors()).grounded
    monkeypatch.setattr("fewest.commands.puzzle_with_task.ground", lambda *_, **__: task)
    found = check_document(path, Effort())
    assert found.verdict == "bug"
    assert str(path) in str(found.bug)


def test_a_difference_ends_a_command_with_70(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # An earlier test may have run a command with --json in this process.
    monkeypatch.setattr(console.MANNER, "as_json", False)
    with pytest.raises(DisagreementError) as caught:
        broken(doors()).solve("steps")
    assert error_handling.fail(caught.value) == Exit.BUG
    output = capsys.readouterr().err
    assert "please report this" in output
    assert "the compiled task of doors disagrees with the rules" in output


# -- the number of audited positions ---------------------------------------------------------------------


def test_the_option_sets_the_number_of_audited_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = doors()
    everything = {"positions": compiled.explore().num_states, "all": True}
    assert compiled.solve("steps", audit="all").statistics["audit"] == everything
    assert compiled.solve("steps", audit=7).statistics["audit"] == {"positions": 7, "all": False}
    nothing = {"positions": 0, "all": False}
    assert compiled.solve("steps", audit="off").statistics["audit"] == nothing
    monkeypatch.setenv("FEWEST_AUDIT", "9")
    assert compiled.solve("steps").statistics["audit"]["positions"] == 9
    assert compiled.explore("steps").audited.positions == 9


@pytest.mark.parametrize("command", ["solve", "explore", "hint", "prove", "compare", "check"])
def test_the_json_of_each_command_gives_the_number_of_positions(
    command: str, tmp_path: Any
) -> None:
    path = tmp_path / "doors.yaml"
    path.write_text(DOORS + "expect: {reachable: 1}\n")
    more = {"prove": ["-o", str(tmp_path / "it.proof")], "compare": ["-e", "bfs"]}.get(command, [])
    with engines_run_here():
        done = run(command, str(path), *more, "--audit", "4", "--json")
    found = json.loads(done.stdout)
    if command == "check":
        (found,) = found
    elif command == "compare":
        found = found["comparisons"][0]["entries"][0]
    found = found.get("statistics", found)
    assert found["audit"] == {"positions": 4, "all": False}, found


@pytest.mark.parametrize("command", ["solve", "sweep", "explain", "explain-hard", "deadlock"])
def test_the_json_of_batches_and_explanations_gives_the_number_of_positions(
    command: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEWEST_AUDIT", "4")
    doors, levels, line = (tmp_path / name for name in ("doors.yaml", "two.xsb", "line.yaml"))
    doors.write_text(DOORS)
    line.write_text(LINE)
    levels.write_text("######\n#@ $.#\n######\n\n######\n#. $@#\n######\n")
    saved = tmp_path / "solved.jsonl"
    words = {
        "solve": ["solve", levels, "--resume", saved],
        "sweep": ["sweep", line, "n=4..5"],
        "explain": ["explain", doors, "--sets", "0"],
        "explain-hard": ["explain", doors, "--hard"],
        "deadlock": ["explain", "deadlock", doors],
    }[command]
    done = run(*map(str, words), "--json")
    if command == "solve":
        found = [json.loads(text) for text in done.stdout.splitlines()]
    else:
        whole = json.loads(done.stdout)
        found = whole["members"] if command == "sweep" else [whole]
    assert len(found) == (2 if command in ("solve", "sweep") else 1)
    assert all(one["audit"] == {"positions": 4, "all": False} for one in found), found
    if command == "solve":
        again = run(*map(str, words), "--json").stdout.splitlines()
        assert [json.loads(text)["audit"] for text in again] == [one["audit"] for one in found]
        text = run("solve", str(levels)).stdout
        assert re.search(r"; 8 positions audited\n$", text), text


@pytest.mark.parametrize("value", ["0", "-3", "many", "1.5", ""])
def test_any_other_option_is_a_usage_error(value: str) -> None:
    with pytest.raises(UsageError, match="all, off, or a number"):
        audit_option(value)


def test_a_wrong_option_is_an_error_before_anything_is_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FEWEST_AUDIT", "many")
    compiled = doors()
    for call in (compiled.solve, compiled.explore, compiled.hint):
        with pytest.raises(UsageError, match="all, off, or a number"):
            call(metric="steps")  # type: ignore[operator]
        assert "grounded" not in compiled.__dict__


def test_an_answer_without_a_plan_is_audited_for_a_tenth_of_a_second_or_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(audits, "LEDGER", AuditBudgets())
    compiled = doors()
    impossible = fewest.load(
        "doors.yaml", text=DOORS.replace("open == 1", "open == 1 and col(man) == 9")
    )
    result = impossible.solve("steps")
    assert result.status == "unsolvable"
    assert result.statistics["audit"]["all"]
    assert result.statistics["audit"]["positions"] == compiled.explore().num_states


class Clock:
    """A clock that advances only when a test adds CPU seconds."""

    def __init__(self) -> None:
        self.now = 10.0

    def __call__(self) -> float:
        return self.now


def test_a_batch_spends_its_share_on_boards_that_a_seed_chooses() -> None:
    clock, puzzle = Clock(), doors().puzzle
    ledger = AuditBudgets(clock)
    audited: list[int] = []
    spent = 0.0
    for number in range(1000):
        began = clock.now
        clock.now += 0.004
        extent = ledger.extent(puzzle, began, 0.0)
        if extent is not None:
            audited.append(number)
            assert extent.seconds is not None
            ledger.charge(puzzle, extent.seconds)
            spent += extent.seconds
    assert 0.9 * SHARE < spent / 4.0 <= SHARE
    gaps = {after - before for before, after in pairwise(audited)}
    assert len(gaps) > 5  # the audited boards are not evenly spaced


def test_answers_without_a_plan_stay_within_the_share_after_the_first() -> None:
    clock, puzzle = Clock(), doors().puzzle
    ledger = AuditBudgets(clock)
    spent = 0.0
    for _ in range(10_000):
        began = clock.now
        clock.now += 0.004
        extent = ledger.extent(puzzle, began, FLOOR)
        if extent is not None:
            assert extent.seconds is not None
            ledger.charge(puzzle, extent.seconds)
            spent += extent.seconds
    assert 40 * SHARE < spent <= 40 * SHARE + 2 * FLOOR


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cell(0, 3) == box", "count(box, button) == 1"),
        ("set: {open: 1}", "set: {open: 1 - open}"),
        ("before: [man, empty], after: [empty, man]", "before: [box, empty], after: [empty, box]"),
        ("walk: {before: [man, empty], after: [empty, man]", "walk: {slide: man"),
        ("after: [empty, man]}", "after: [empty, man], directions: all}"),
    ],
)
def test_other_rules_of_the_same_names_have_a_budget_of_their_own(old: str, new: str) -> None:
    assert DOORS.count(old) == 1
    clock, puzzle = Clock(), doors().puzzle
    ledger = AuditBudgets(clock)
    assert ledger.extent(puzzle, clock.now, FLOOR) is not None
    ledger.charge(puzzle, FLOOR)
    other_board = fewest.load("doors.yaml", text=DOORS.replace("@..o.", "@...o")).puzzle
    assert ledger.extent(other_board, clock.now, FLOOR) is None
    other = fewest.load("doors.yaml", text=DOORS.replace(old, new)).puzzle
    assert ledger.extent(other, clock.now, FLOOR) is not None


def test_a_rule_without_forms_has_a_budget() -> None:
    text = DOORS.replace("push: {", 'push: {for: {i: "range(0)"}, ')
    puzzle = fewest.load("doors.yaml", text=text).puzzle
    clock = Clock()
    assert AuditBudgets(clock).extent(puzzle, clock.now, FLOOR) is not None


def test_the_start_of_a_command_counts_as_part_of_its_first_call() -> None:
    clock = Clock()
    clock.now = 0.15
    extent = AuditBudgets(clock).extent(doors().puzzle, 0.14, 0.0)
    assert extent is not None
    assert extent.seconds == pytest.approx(0.15 * SHARE)


def test_an_audit_of_all_positions_keeps_to_the_limits_of_the_call() -> None:
    compiled = fewest.load("fifteen-15")
    found = compiled.solve(audit="all", memory=1 << 20).statistics["audit"]
    assert 0 < found["positions"] < 10_000
    assert not found["all"]


def test_a_position_with_thousands_of_moves_does_not_outlast_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled = fewest.load("jugs-8-5-3")
    comparison = Comparison(compiled.puzzle, compiled.grounded)
    comparison.deadline = 0
    with pytest.raises(ComparisonStopped):
        comparison.successors(compiled.grounded.initial)
    monkeypatch.setattr(walk, "_LONGEST", -1)
    audit = compare_positions(compiled.puzzle, compiled.grounded, extent=AuditLimits(seconds=0.0))
    assert (audit.positions, audit.is_whole) == (0, False)


def test_ctrl_c_during_an_audit_keeps_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = doors()
    successors = audits.Comparison.successors
    calls = 0

    def interrupted(self: Any, state: int) -> list[int]:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise KeyboardInterrupt
        return successors(self, state)

    monkeypatch.setattr(audits.Comparison, "successors", interrupted)
    result = compiled.solve("steps", audit="all")
    assert result.status == "optimal"
    assert result.statistics["audit"] == {"positions": 3, "all": False}


def test_an_answer_that_no_goal_can_be_reached_gets_more_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    floors: list[float] = []

    class Recorded(AuditBudgets):
        def extent(self, puzzle: Any, began: float, floor: float) -> AuditLimits | None:
            floors.append(floor)
            return super().extent(puzzle, began, floor)

    def floor_of(answer: Callable[[], object]) -> float:
        monkeypatch.setattr(audits, "LEDGER", Recorded())
        floors.clear()
        answer()
        return floors[-1]

    never = fewest.load("doors.yaml", text=DOORS.replace("set: {open: 1}", "set: {open: 0}"))
    unsolvable = (
        never.solve,
        never.explore,
        never.solutions,
        never.hint,
        lambda: never.solve(engine="bfs"),
    )
    for answer in unsolvable:
        assert floor_of(answer) == NO_GOAL_FLOOR
    assert floor_of(doors().explore) == FLOOR
    assert floor_of(doors().solve) == floor_of(doors().hint) == 0
