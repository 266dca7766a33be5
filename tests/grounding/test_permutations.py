"""Rings as permutations of facts agree with rings as flips and with the reference interpreter."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import fewest
from fewest import search
from fewest.analysis.abstraction import without_names
from fewest.analysis.regression import reverse
from fewest.commands.export import export
from fewest.engines import ENGINES
from fewest.errors import UsageError
from fewest.grounding import cycle
from fewest.model.answer import single
from fewest.model.costs import cost_table, plan_cost
from fewest.model.position import Position
from fewest.model.problem import Problem
from fewest.model.states import encode
from fewest.planning.macros import macro_operators
from fewest.planning.sat.profile import profiles
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.playing.move import Move
from fewest.playing.validate import validate
from fewest.search.batches import expand
from fewest.search.goal_distances import measure_goal_distances
from fewest.search.native import are_steps_equal
from fewest.search.pure import breadth_first as pure
from fewest.search.pure.batches import expand as slowly
from fewest.space.distances import goal_distances
from fewest.space.plans import count_plans
from fewest.space.state_graph import build_state_graph
from tests.formats.planners.test_export import check_planning_exports, costs
from tests.helpers.agreement import LIMIT, check_planned, is_refused, relaxed
from tests.helpers.crossing.features import compiled_of, grounded_as
from tests.helpers.random_puzzles import cycles

ENCODINGS = [name for name, _ in profiles()]

LOOP = """puzzle: loop
legend: {{}}
pieces: {{tile: {{letters: A-Z}}}}
moves:
  row:
    for: {{r: range(3)}}
    cycle: "[[r, c] for c in range(3)]"
  column:
    for: {{c: range(3)}}
    cycle: "[[r, c] for r in range(3)]"
metrics: {{moves: {{}}, lines: {{merge: path}}, weighted: {{count: {{row: 2, column: 1}}}}}}
board: |
  ABC
  DEF
  GHI
goal: {{board: "{goal}"}}
"""


def permuting(text: str) -> fewest.CompiledPuzzle:
    """The puzzle with rings as permutations, even if few pieces are on them."""
    before, cycle.MAX_FLIPS = cycle.MAX_FLIPS, -1
    try:
        compiled = fewest.load("random.yaml", text=text)
        assert compiled.grounded
    except fewest.DocumentError:
        assume(False)
    finally:
        cycle.MAX_FLIPS = before
    return compiled


@settings(relaxed, max_examples=15)
@given(cycles())
def test_turns_agree_with_the_reference(text: str) -> None:
    compiled = permuting(text)
    task = compiled.grounded
    assert not any(o.ring >= 0 for o in task.operators)
    moves: dict[Position, list[Move]] = {}
    for metric in compiled.puzzle.metrics.values():
        if is_refused(task, metric):
            continue
        try:
            reach = exhaust(compiled.puzzle, metric, LIMIT, moves)
        except TooManyPositionsError:
            assume(False)
        for core in (pure.search, search.search):
            if any(
                part.weight(t.rule, t.binding) == 0
                for t in task.permutations
                for part in metric.parts
            ):
                continue
            outcome = core(task.problem, cost_table(task, metric), exhaust=True)
            found = (outcome.num_states, outcome.num_goal_states, outcome.cost)
            assert found == (len(reach.costs), reach.num_goal_states, reach.minimum)
            if outcome.cost is not None:
                assert plan_cost(task, metric, outcome.plan) == outcome.cost
                validate(compiled.puzzle, task, metric, outcome.plan, outcome.cost)
        if reach.minimum is not None:
            check_hint(compiled, metric.name, reach.minimum)
        for position in reach.costs:
            state = encode(task, position)
            for group in task.exactly:
                assert sum(state >> fact & 1 for fact in group.facts) == group.count


@settings(relaxed, max_examples=5)
@given(cycles(), st.sampled_from(ENCODINGS))
def test_horizons_of_turns_have_the_minima_of_the_reference(text: str, encoding: str) -> None:
    compiled = permuting(text)
    assume(compiled.grounded.permutations)
    check_planned(compiled, [("asp", {}), ("sat", {"encoding": encoding})], text)


@pytest.mark.slow
@settings(relaxed, max_examples=200)
@given(cycles())
def test_horizons_of_turns_have_the_minima_of_the_reference_in_every_encoding(text: str) -> None:
    compiled = permuting(text)
    assume(compiled.grounded.permutations)
    runs = [("sat", {"encoding": encoding}) for encoding in ENCODINGS]
    check_planned(compiled, [("asp", {}), *runs], text)


@settings(relaxed, max_examples=10)
@given(cycles())
def test_exported_turns_have_the_minima_of_the_reference(text: str) -> None:
    compiled = permuting(text)
    assume(compiled.grounded.permutations)
    check_planning_exports(compiled)


def test_an_export_of_turns_beside_slides_of_many_distinct_pieces_stays_small() -> None:
    text = """puzzle: turns-and-slides
legend: {{".": floor}}
pieces: {{tile: {{letters: A-Z, interchangeable: false}}}}
moves:
  slide: {{slide: tile}}
  turn: {{for: {{r: range({height})}}, cycle: "[[r, c] for c in range({width})]"}}
goal: {{board: "{goal}"}}
board: |
  {board}
"""
    goal = "\\n".join(["?D?", "CA?"])
    few = permuting(text.format(height=2, width=3, goal=goal, board="\n  ".join(["AB.", "CD."])))
    assert few.grounded.permutations
    minimum = exhaust(few.puzzle, few.puzzle.metrics["moves"], 1_000).minimum
    for to in ("pddl", "sas"):
        assert (costs(export(few, to)),) == minimum
    # One condition states that a cell becomes empty. A condition for each arrangement of the 15 tiles would not end.
    board = "\n  ".join(["ABCD", "EFGH", "IJKL", "MNO."])
    goal = "\\n".join(["BCDA", *["????"] * 3])
    many = fewest.load("many.yaml", text=text.format(height=4, width=4, goal=goal, board=board))
    assert many.grounded.permutations
    assert len(export(many, "sas").text()) < 200_000


@pytest.mark.slow
@settings(relaxed, max_examples=150)
@given(cycles())
def test_hundreds_of_exported_turns_have_the_minima_of_the_reference(text: str) -> None:
    compiled = permuting(text)
    assume(compiled.grounded.permutations)
    check_planning_exports(compiled)


@settings(relaxed, max_examples=10)
@given(cycles())
def test_turns_are_explored_as_flips_are(text: str) -> None:
    compiled, flips = permuting(text), fewest.load("random.yaml", text=text)
    assume(compiled.grounded.permutations and not flips.grounded.permutations)
    for metric in compiled.puzzle.metrics:
        try:
            found = compiled.explore(metric)
        except UsageError:  # free permutations in a metric that merges moves
            continue
        known = flips.explore(metric)
        assert (found.goal_distances is None) == (known.goal_distances is None)
        if found.goal_distances is not None and known.goal_distances is not None:
            assert found.goal_distances.histogram == known.goal_distances.histogram
        assert (found.num_states, found.minimum) == (known.num_states, known.minimum)
        assert found.num_plans == known.num_plans
    check_expansion(compiled.grounded.problem)


def check_expansion(problem: Problem) -> None:
    """Expand all reachable states in one batch, natively and in pure Python."""
    states = build_state_graph(problem).states
    found, expected = expand(problem, states), slowly(problem, states)
    assert found[1].tolist() == sorted(found[1].tolist())
    assert triples(found) == triples(expected)


def triples(found: tuple[NDArray[Any], ...]) -> list[tuple[int, int, list[int]]]:
    """The rows, operators and successors of a batch, sorted."""
    successors, rows, operators = (each.tolist() for each in found)
    return sorted(zip(rows, operators, successors, strict=True))


@pytest.mark.skipif(not search.NATIVE, reason="the native core measures distances")
@settings(relaxed, max_examples=10)
@given(cycles())
def test_distances_of_turns_in_the_core_are_those_over_arrays(text: str) -> None:
    task = permuting(text).grounded
    assume(task.permutations and task.goal)
    for name, metric in task.metrics.items():
        if is_refused(task, metric):
            continue
        cost = cost_table(task, metric)
        measured = measure_goal_distances(task.problem, cost, reverse(task, ()), counts_plans=True)
        assert (measured is not None) == are_steps_equal(cost), name
        if measured is None:
            continue
        space = build_state_graph(task.problem)
        distances = goal_distances(space, cost)
        assert (measured.num_states, measured.minimum) == (len(space), distances.cost(0))
        assert measured.num_plans == count_plans(space, cost, distances)
        assert measured.distances is not None
        assert measured.distances.layers == distances.histogram()
        hardest = [space.integer(state) for state in distances.farthest.tolist()]
        assert measured.distances.hardest == min(hardest, default=None)


@pytest.mark.parametrize(
    "other", ["at-once", "divided", "pairs", "weights", "forbid", "unsolvable", "words-3"]
)
def test_turns_beside_other_features_are_explored_as_the_reference_plays(other: str) -> None:
    features = ("permutations", other)
    with grounded_as(features):
        compiled = compiled_of(features)
        task = compiled.grounded
    assert task.permutations
    check_expansion(task.problem)
    for metric in compiled.metrics:
        reach = exhaust(compiled.puzzle, task.metrics[metric], LIMIT)
        found = compiled.explore(metric, audit="all")
        assert (found.num_states, found.num_goal_states) == (
            len(reach.costs),
            reach.num_goal_states,
        )
        assert found.minimum == (None if reach.minimum is None else single(reach.minimum))
        assert found.goal_distances is not None
        assert (
            sum(count for _, count in found.goal_distances.histogram)
            == found.goal_distances.num_solvable
        )


def check_hint(compiled: fewest.CompiledPuzzle, metric: str, minimum: tuple[int, ...]) -> None:
    """Check that a hint knows the minimum and proposes an optimal move."""
    hint = compiled.hint(metric=metric)
    distance = hint.distance if isinstance(hint.distance, tuple) else (hint.distance,)
    assert distance == minimum
    assert hint.status == "solved" or hint.finish or hint.best


def test_a_turn_of_many_pieces_is_one_operator_and_is_solved() -> None:
    moved = fewest.load("loop", text=LOOP.format(goal="CAB\\nDEF\\nHIG"))
    before, cycle.MAX_FLIPS = cycle.MAX_FLIPS, 1_000
    try:
        task = moved.grounded
    finally:
        cycle.MAX_FLIPS = before
    assert (len(task.operators), len(task.permutations)) == (0, 12)
    for engine in ("bfs", "sat", "asp"):
        costs = [moved.solve(name, engine=engine).cost for name in ("moves", "lines", "weighted")]
        assert costs == [2, 2, 4]
    assert moved.solve("moves", engine="python").cost == 2


FREE_TURN = """puzzle: free-turn
legend: {".": floor, a: a, b: b, "#": wall, g: gate, o: a on out}
terrain: [gate, out]
pieces: {a: {}, b: {}}
moves:
  turn: {cycle: [[0, 0], [0, 1], [1, 1], [1, 0]]}
  enter: {before: [a on out, empty on gate], after: [empty, a], directions: left}
  leave: {before: [a on gate, empty on out], after: [empty, a], directions: right}
metrics:
  runs: {merge: path, count: {turn: 0}}
goal: {board: "b.a\\nba#"}
board: |
  ago
  bb#
"""


def test_a_free_turn_does_not_end_a_run_if_an_equal_piece_takes_the_place_of_its_piece() -> None:
    # After `enter`, the turn moves this `a` away from the gate, and the other `a` takes its place and leaves.
    flips = fewest.load("free-turn.yaml", text=FREE_TURN)
    assert not flips.grounded.permutations
    metric = flips.puzzle.metrics["runs"]
    assert exhaust(flips.puzzle, metric, LIMIT).minimum == (1,)
    for engine in ("bfs", "python", "sat", "asp"):
        assert flips.solve(engine=engine).cost == 1
    # A permutation does not determine whether this happens, so every command refuses it.
    turns = permuting(FREE_TURN)
    assert turns.grounded.permutations
    for call in (
        turns.solve,
        turns.explore,
        turns.solutions,
        turns.hint,
        lambda: export(turns, "sas", "runs"),
        lambda: export(turns, "asp", "runs"),
    ):
        with pytest.raises(
            UsageError, match="a rule that permutes the pieces on a ring cannot be free"
        ):
            call()


@pytest.mark.parametrize(
    "engine", [name for name, row in ENGINES.items() if not row.has_permutations]
)
def test_an_engine_that_supports_only_flips_refuses_permutations(engine: str) -> None:
    compiled = fewest.load("pocket-cube")
    with pytest.raises(UsageError, match="permutes the pieces on rings"):
        compiled.solve(engine=engine)


def test_code_that_needs_flips_reports_this() -> None:
    compiled = fewest.load("pocket-cube")
    with pytest.raises(UsageError, match="permutes the pieces on rings"):
        _ = compiled.index
    with pytest.raises(UsageError, match=r"^an abstraction needs moves that flip facts"):
        without_names(compiled.grounded, [])
    for options in ({"symmetry": "on"}, {"store": "index"}):
        with pytest.raises(UsageError, match="permutes the pieces on rings"):
            compiled.solve(engine="bfs", **options)  # type: ignore[arg-type]


def test_the_layers_of_the_pocket_cube_are_the_known_ones() -> None:
    """The known layers count a half turn as one move (J. Scherphuis, https://www.jaapsch.net/puzzles/cube2.htm)."""
    task = fewest.load("pocket-cube").grounded
    layer, seen, sizes = {task.initial}, {task.initial}, []
    for _ in range(4):
        layer = {
            permutation.apply(state) for state in layer for permutation in task.permutations
        } - seen
        seen |= layer
        sizes.append(len(layer))
    assert sizes == [9, 54, 321, 1847]


def test_colours_on_cells_are_fields_of_a_state() -> None:
    task = fewest.load("pocket-cube").grounded
    assert sorted(len(group.facts) for group in task.exactly) == [1] * 3 + [6] * 21
    assert all(group.count == 1 for group in task.exactly)


@pytest.mark.parametrize(
    "move",
    [
        "cycles: [[[0, 0], [0, 1]], [[0, 1], [0, 2]]]",  # a cell occurs twice
        "cycle: [[0, 0], [0, 1]]\n    steps: 2",  # the rotation is the identity
        "cycle: [[0, 0], [0, 7]]",
        "cycle: [[0, 0], 1]",
        "cycles: []",
        'cycle: "[[0, i] for i in range(9)]"',
    ],
)
def test_rings_that_cannot_be_are_refused(move: str) -> None:
    text = f"puzzle: x\nlegend: {{a: ant}}\npieces: {{ant: {{}}}}\nmoves:\n  turn:\n    {move}\nboard: |\n  aaaa\n"
    with pytest.raises(fewest.DocumentError) as error:
        fewest.load("x.yaml", text=text)
    assert {found.code for found in error.value.diagnostics} == {"cycle-cell"}


def test_a_run_of_turns_does_not_pass_through_forbidden_positions() -> None:
    task = permuting("""puzzle: ring
legend: {}
pieces: {tile: {letters: A-Z}}
moves: {turn: {cycle: "[[0, c] for c in range(4)]"}}
metrics: {runs: {merge: path}}
board: ABCD
forbid: {A: {at: [0, 1]}}
goal: {A: {at: [0, 2]}}
""").grounded
    found = {True: 0, False: 0}
    states = [task.initial]
    for state in states:
        reached = {permutation.apply(state) for permutation in task.permutations}
        states += sorted(s for s in reached if s not in states and not task.is_forbidden(s))
    for run in macro_operators(task, task.metrics["runs"].parts[0]):
        for state in states:
            passed = [state]
            for index in run.operators:
                passed.append(task.moves[index].apply(passed[-1]))
            is_free = not any(map(task.is_forbidden, passed[1:-1]))
            assert run.is_applicable(state) == is_free
            assert run.apply(state) == passed[-1]
            found[is_free] += len(run.operators) > 1
    assert all(found.values())


LAMPS = """puzzle: ring-and-lamps
legend: {".": floor}
pieces: {tile: {letters: A-I, interchangeable: false}}
variables:
  v[i]: {for: {i: range(7)}, values: range(2), initial: 0}
moves:
  turn: {cycle: [[0, 0], [0, 1], [0, 2], [1, 2], [2, 2], [2, 1], [2, 0], [1, 0]]}
  lamp: {set: {"v[i] for i in range(7)": "1 - v[i]"}}
metrics: {moves: {}, lines: {merge: line}, paths: {merge: path}, lamps: {count: {lamp: 2, turn: 1}}}
board: |
  ABC
  DEF
  GHI
goal: v[0] == 1 and cell(0, 1) == A
"""
"""A ring that permutes facts, beside a move that sets seven variables at once: eight rotations, two lamp states."""


@pytest.mark.parametrize("metric", ["moves", "lines", "paths", "lamps"])
def test_permutations_and_simultaneous_assignments_are_searched_together(metric: str) -> None:
    compiled = fewest.load("lamps.yaml", text=LAMPS)
    task = compiled.grounded
    assert task.permutations and task.pending
    reach = exhaust(compiled.puzzle, compiled.puzzle.metrics[metric], LIMIT)
    assert len(reach.costs) == 16
    assert reach.minimum is not None
    for engine in ("bfs", "python", "sat", "asp", "auto"):
        assert compiled.solve(metric, engine=engine).cost == reach.minimum[0], engine
    whole = compiled.in_flips  # `explore` needs flips for a metric that merges moves
    found = (whole if metric in ("lines", "paths") else compiled).explore(metric)
    assert (found.num_states, found.minimum) == (16, reach.minimum[0])
    check_hint(whole if metric in ("lines", "paths") else compiled, metric, reach.minimum)
