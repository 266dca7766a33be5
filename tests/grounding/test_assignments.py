"""A move that sets several variables at once becomes one operator; for every engine, its effects equal flips."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import assume, given, settings

import fewest
from fewest.analysis import case_split
from fewest.analysis.case_split import compile_to_flips
from fewest.engines import ENGINES
from fewest.errors import UsageError
from fewest.grounding.ground import ground
from fewest.model.states import encode
from fewest.model.task import Operator, Task
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.playing.rules import legal_moves
from tests.helpers.agreement import LIMIT, check_planned, relaxed
from tests.helpers.random_puzzles import actions

# Three variables: one is increased, two are copied or exchanged, and one gets a sum.
MEMORY = """puzzle: memory
parameters: {n: 10}
variables:
  x: {values: range(n), initial: 0}
  y: {values: range(n), initial: 0}
  z: {values: range(n), initial: 0}
moves:
  copy: {set: {x: y, z: y}}
  swap: {when: z != 1, set: {x: y, y: x}}
  more: {when: y < n - 1, set: {y: y + 1}}
  mix: {set: {y: (x + y + 3) % n}}
goal: x == 7 and y == 3 and z == 5
"""

LAMPS = """puzzle: lamps
parameters: {n: 5}
variables: {"lit[r, c]": {for: {r: range(n), c: range(n)}, values: [0, 1], initial: 1}}
moves:
  press:
    for: {r: range(n), c: range(n)}
    set: {"lit[x, y] for x in range(n) for y in range(n) if x == r or y == c": "1 - lit[x, y]"}
goal: all(lit[r, c] == 0 for r in range(n) for c in range(n))
"""

WALK = """puzzle: walk
legend: {".": floor, "@": man}
pieces: {man: {}}
variables:
  a: {values: range(8), initial: 0}
  b: {values: range(8), initial: 0}
moves:
  walk: {before: [man, empty], after: [empty, man]}
  note: {set: {a: "max(col(man), 0)", b: a}}
board: |
  @.......
  ........
goal: a == 3 and b == 6 and col(man) == 4
"""


def loaded(text: str, most_flips: float, **parameters: int) -> fewest.CompiledPuzzle:
    compiled = fewest.load("assigned.yaml", text=text, parameters=parameters)
    compiled.__dict__["grounded"] = ground(compiled.puzzle, most_flips=most_flips)
    return compiled


def num_effects(task: Task) -> int:
    return sum(len(place) for stage in task.consequences for place in stage.places)


def known(operator: Operator) -> tuple[object, ...]:
    return operator.rule, operator.binding, operator.mask, operator.value, operator.flip


def test_copies_cost_an_operator_a_move_and_an_effect_a_value() -> None:
    text = MEMORY.replace("  more:", "  other: {set: {z: x}}\n  more:")
    text = text[: text.index("  mix:")] + text[text.index("goal:") :]
    for n in (10, 20, 40):
        task = fewest.load("memory.yaml", text=text, parameters={"n": n}).grounded
        of_rules = [o.rule for o in task.operators]
        assert [of_rules.count(rule) for rule in ("copy", "other", "swap")] == [1, 1, 1]
        assert num_effects(task) == n + 1 + n + 1 + 2 * n + 1


def test_an_expression_of_two_variables_is_divided_by_the_first() -> None:
    task = loaded(MEMORY, 32).grounded
    assert sum(o.rule == "mix" for o in task.operators) == 10


def test_lamps_are_an_operator_a_press() -> None:
    compiled = loaded(LAMPS, 32, n=4)
    assert len(compiled.grounded.operators) == 16
    assert num_effects(compiled.grounded) == 16 * (7 * 2 + 1)
    flips = ground(compiled.puzzle, most_flips=inf)
    assert len(flips.operators) == 16 * 2**7


@pytest.mark.parametrize("text", [MEMORY, WALK])
def test_simultaneous_assignments_are_divided_into_the_same_flips(text: str) -> None:
    for most in (0, 9, 32):
        compiled = loaded(text, most)
        flips = ground(compiled.puzzle, most_flips=inf)
        task, origins = compile_to_flips(compiled.grounded, "this")
        assert {known(o) for o in task.operators} == {known(o) for o in flips.operators}
        assert task.facts == flips.facts
        assert task.exactly == flips.exactly
        for number, operator in zip(origins, task.operators, strict=True):
            assert compiled.grounded.operators[number].rule == operator.rule


@settings(relaxed, max_examples=30)
@given(actions())
def test_random_actions_are_divided_into_the_same_steps(text: str) -> None:
    try:
        compiled = loaded(text, 0)
    except fewest.DocumentError:
        assume(False)
    assume(compiled.grounded.pending)
    task, origins = compile_to_flips(compiled.grounded, "this")
    metric = compiled.puzzle.metrics[compiled.metrics[0]]
    try:
        reach = exhaust(compiled.puzzle, metric, LIMIT)
    except TooManyPositionsError:
        assume(False)
    for position in reach.costs:
        state = encode(compiled.grounded, position)
        at_once = {
            (number, after)
            for number, operator in enumerate(compiled.grounded.operators)
            if operator.is_applicable(state)
            if (after := compiled.grounded.after(number, state)) != state
        }
        one_by_one = {
            (origin, operator.apply(state))
            for origin, operator in zip(origins, task.operators, strict=True)
            if operator.is_applicable(state)
        }
        assert at_once == one_by_one


@pytest.mark.parametrize("engine", [n for n, row in ENGINES.items() if not row.needs_lines])
@pytest.mark.parametrize("text", [MEMORY, WALK])
def test_every_engine_solves_puzzles_with_simultaneous_assignments(text: str, engine: str) -> None:
    compiled = loaded(text, 9)
    assert compiled.grounded.pending
    expected = loaded(text, inf).solve(engine="python").cost
    found = compiled.solve(engine=engine)
    assert found.is_proven and found.cost == expected
    assert found.plan is not None  # the reference interpreter has replayed it


@settings(relaxed, max_examples=8)
@given(actions())
def test_horizons_with_simultaneous_assignments_have_the_minima_of_the_reference(text: str) -> None:
    try:
        compiled = loaded(text, 0)
    except fewest.DocumentError:
        assume(False)
    runs = [("sat", {"encoding": encoding}) for encoding in ("operators", "incremental")]
    check_planned(compiled, [("asp", {}), *runs], text)


def test_too_many_flips_are_refused_with_a_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert case_split.MAX_OPERATORS == 200_000
    monkeypatch.setattr(case_split, "MAX_OPERATORS", 10_000)  # a twentieth of the usual time
    compiled = loaded(LAMPS, 32, n=5)  # 25 * 2 ** 9 operators
    with pytest.raises(
        UsageError, match=r"`astar` .* `press` of lamps, .* assignments .* more than 10,000"
    ):
        compiled.solve(engine="astar")
    found = compiled.solve(engine="sat", at_most=1)
    assert found.status == "limit"


def test_exploring_counts_the_same_positions_and_plans() -> None:
    at_once, flips = loaded(MEMORY, 9).explore(), loaded(MEMORY, inf).explore()
    assert at_once.num_states == flips.num_states == 910
    assert at_once.layers == flips.layers
    assert at_once.goal_distances == flips.goal_distances
    assert at_once.num_plans == flips.num_plans


def test_a_move_that_changes_nothing_is_illegal() -> None:
    text = MEMORY.replace(
        "  mix:", "  stuck: {when: not can(copy) and y == 0, set: {y: 1}}\n  mix:"
    )
    for most in (9, inf):
        found = loaded(text, most).explore(plans=False)
        assert found.num_states == 910
    compiled = loaded(text, 9)
    task, state = compiled.grounded, compiled.grounded.initial
    changing = {
        operator.rule
        for number, operator in enumerate(task.operators)
        if operator.is_applicable(state) and task.after(number, state) != state
    }
    moves = legal_moves(compiled.start)
    assert changing == {move.rule for move in moves} == {"more", "mix"}
