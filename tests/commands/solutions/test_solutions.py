"""The optimal plans, up to the order of independent moves, are those of a brute-force search, and have the known
numbers."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings

import fewest
from fewest import search
from fewest.commands.check import Effort, check_document
from fewest.commands.solutions import Solutions
from fewest.commands.solutions import search as search_for_solutions
from fewest.commands.solutions.text import figures, heading
from fewest.errors import DocumentError, UsageError
from fewest.model.answer import Cost, LimitReached
from fewest.model.costs import cost_table
from fewest.model.metric import Metric, metric_of
from fewest.model.position import start
from fewest.model.states import encode
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.playing.rules import is_goal
from fewest.playing.validate import validate
from fewest.search import goal_distances as goal_distances_by_core
from fewest.space import merged_plans
from fewest.space.distances import goal_distances
from fewest.space.layered_plans import has_uniform_costs, plans_within, uniform_plan_graph
from fewest.space.merged_plans import plan_graph
from fewest.space.plan_graph import PlanGraph
from fewest.space.state_graph import build_state_graph
from fewest.space.traces import TraceGraph, count_fixed, count_traces, list_traces, words_by_cost
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.brute_force import LIMIT, BruteForce
from tests.helpers.command_line import run
from tests.helpers.random_puzzles import puzzles
from tests.helpers.traces import classes, words_of


def graph_of(compiled: fewest.CompiledPuzzle, metric: Metric) -> PlanGraph | None:
    """The graph of optimal plans, built from layers if the costs allow it."""
    task = compiled.grounded
    table = cost_table(task, metric)
    if has_uniform_costs(table):
        return uniform_plan_graph(task, table)
    space = build_state_graph(task.problem)
    return plan_graph(task, space, table, goal_distances(space, table))


def check_solutions(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    puzzle, task = compiled.puzzle, compiled.grounded
    try:
        reach = exhaust(puzzle, next(iter(puzzle.metrics.values())), LIMIT)
    except (TooManyPositionsError, DocumentError):
        assume(False)
    for metric in puzzle.metrics.values():
        brute = BruteForce(list(reach.costs), metric)
        found = compiled.solutions(metric.name, listed=1_000, audit="off")
        if (start(puzzle), brute.fresh) not in brute.distance:
            assert found.status == "unsolvable"
            continue
        plans = {
            tuple(encode(task, position) for position in plan)
            for plan in brute.plans(start(puzzle))
        }
        assert found.num_plans == len(plans), (metric.name, text)
        graph = graph_of(compiled, metric)
        assert graph is not None
        check_shared(compiled, metric, brute, found, plans)
        if found.uncounted is not None:
            assert graph.num_words > len(plans)
            continue
        words = words_of(graph, len(task.facts))
        assert set(words.values()) == plans, (metric.name, text)
        assert found.num_traces == classes(graph, words), (metric.name, text)
        for engine in ("auto", "bfs"):
            solved = compiled.solve(metric.name, engine=engine, audit="off")
            assert solved.is_unique in (None, found.num_traces == 1), (metric.name, engine, text)
        assert len(found.plans) == min(1_000, found.num_traces or 0)
        traces = TraceGraph(graph)
        assert count_fixed(traces) == found.num_traces
        listed = [tuple(edge.move for edge in word) for word in list_traces(traces, 1_000)]
        assert len(set(listed)) == len(listed) <= len(words)
        check_beyond(compiled, metric, brute, found)


def check_shared(
    compiled: fewest.CompiledPuzzle,
    metric: Metric,
    brute: BruteForce,
    found: Solutions,
    plans: set[tuple[int, ...]],
) -> None:
    """Compare the positions and moves that all plans share with those of the plans, which are sequences of states."""
    task, first = compiled.grounded, start(compiled.puzzle)
    whole = [(task.initial, *plan) for plan in plans]
    passed = set.intersection(*map(set, whole))
    assert {encode(task, one.position) for one in found.bottlenecks} == passed, metric.name
    for one in found.bottlenecks:
        assert brute.distance[one.position, brute.fresh] == parts_of(one.left)
    assert found.bottlenecks[0].position == first
    moves = [{(a ^ b, a & (a ^ b)) for a, b in pairwise(plan)} for plan in whole]
    assert found.num_moves == len(set.union(*moves))
    assert len(found.shared) == found.num_shared == len(set.intersection(*moves))


def parts_of(cost: Cost) -> tuple[int, ...]:
    return cost if isinstance(cost, tuple) else (cost,)


def check_beyond(
    compiled: fewest.CompiledPuzzle, metric: Metric, brute: BruteForce, found: Solutions
) -> None:
    """Compare the plans that are one move longer than the minimum with all sequences of moves."""
    task, first = compiled.grounded, start(compiled.puzzle)
    table = cost_table(task, metric)
    if table.parts > 1:
        return
    if not has_uniform_costs(table):
        check_beyond_merged(compiled, metric, brute)
        return
    weight = table.rows.weight[0][0]
    assert found.num_plans is not None
    steps = brute.distance[first, brute.fresh][0] // weight + 1
    plans: dict[int, int] = {}
    counts: dict[object, int] = {first: 1}
    for number in range(steps + 1):
        plans[number] = sum(count for position, count in counts.items() if is_goal(position))
        following: dict[object, int] = {}
        for position, count in counts.items():
            if is_goal(position):
                continue
            for target in {move.target for move in brute.moves[position]}:
                following[target] = following.get(target, 0) + count
        counts = following
    within = plans_within(task, table, steps)
    assert within is not None
    traces = TraceGraph(within)
    numbers, forms = words_by_cost(traces)
    by_steps = {cost[0] // weight: number for cost, number in numbers.items()}
    assert by_steps == {number: count for number, count in plans.items() if count}
    if within.num_words <= 3_000:
        assert sum(forms.values()) == classes(within, words_of(within, len(task.facts)))
    assert count_traces(traces) == count_fixed(traces)


def check_beyond_merged(compiled: fewest.CompiledPuzzle, metric: Metric, brute: BruteForce) -> None:
    """If moves merge or are free, compare all plans that cost at most the minimum plus 1 with all sequences of
    moves."""
    first = start(compiled.puzzle)
    most = brute.distance[first, brute.fresh][0] + 1
    plans = brute.plans_within(first, (most,))
    found = compiled.solutions(metric.name, at_most=most, audit="off")
    assert {row.cost: row.num_plans for row in found.beyond} == {
        cost: list(plans.values()).count((cost,)) for (cost,) in plans.values()
    }, metric.name


ONLY = "the only plan, up to the order of independent moves"


@pytest.mark.skipif(not search.NATIVE, reason="only the native core knows it")
@pytest.mark.parametrize(
    ("name", "engine", "is_unique"),
    [
        ("bird", "auto", True),
        ("hardest-6x6", "auto", True),
        ("forty-25", "auto", False),
        ("guarini", "auto", False),
        ("tiles-2x4", "bfs", False),
        ("bird", "bidirectional", None),  # this search keeps no layers
        ("large-8x8", "bfs", None),  # a state has two words
        ("walls-3", "bfs", None),  # moves merge
        ("jelly-pair", "bfs", None),  # moves have consequences
    ],
)
def test_solve_reports_that_a_plan_is_unique(
    name: str, engine: str, is_unique: bool | None
) -> None:
    found = fewest.load(name).solve(engine=engine)
    assert found.is_unique is is_unique
    assert (ONLY in found.summary()) == (is_unique is True)
    assert found.to_json()["unique"] is is_unique


@pytest.mark.skipif(not search.NATIVE, reason="only the native core knows it")
def test_counting_all_positions_also_finds_the_only_plan() -> None:
    """An exhaustive search finds more goal positions, but none of them changes the optimal plans."""
    assert fewest.load("bird").solve(engine="bfs", exhaust=True).is_unique
    assert fewest.load("guarini").solve(engine="bfs", exhaust=True).is_unique is False


@pytest.mark.skipif(not search.NATIVE, reason="only the native core knows it")
def test_a_goal_that_excludes_places_can_have_several_plans() -> None:
    """A state packs the place of each tile into one field, and the goal cubes require no field to have a value."""
    compiled = compiled_or_none(
        """\
puzzle: nobody-stays
legend: {".": floor}
pieces: {tile: {letters: A-Z}}
moves: {slide: {slide: tile}}
goal: >-
  cell(0, 0) != A and cell(0, 1) != B and cell(0, 2) != C and cell(1, 0) != D and
  cell(1, 1) != E and cell(1, 2) != F and cell(2, 0) != G
board: |
  ABC
  DEF
  GH.
"""
    )
    assert compiled is not None
    found = compiled.solve(engine="bfs")
    assert (found.cost, found.is_unique) == (8, False)
    assert compiled.solutions().num_traces == 8


def test_the_empty_plan_is_not_called_the_only_one() -> None:
    text = """\
puzzle: already-there
legend: {A: car, ".": floor}
pieces: {car: {}}
moves: {step: {slide: car}}
goal: {A: {at: [0, 0]}}
board: |
  A.
"""
    compiled = compiled_or_none(text)
    assert compiled is not None
    found = compiled.solve(engine="bfs")
    assert found.cost == 0
    assert ONLY not in found.summary()


@settings(relaxed, max_examples=25)
@given(puzzles())
def test_solutions_are_those_of_brute_force(text: str) -> None:
    check_solutions(text)


@pytest.mark.slow
@settings(relaxed, max_examples=3000)
@given(puzzles())
def test_solutions_of_thousands_of_random_puzzles(text: str) -> None:
    check_solutions(text)


@pytest.mark.parametrize(
    ("name", "metric", "plans", "traces"),
    [
        ("hardest-6x6", "steps", 24628859373927622029855884007597071232, 1),
        ("bird", "steps", 166399200, 1),
        ("forty-25", "steps", 68362586096882400, 2),
        ("guarini", "moves", 4726784, 2),
        ("tiles-2x4", "moves", 24, 24),
    ],
)
def test_numbers_of_well_known_puzzles(name: str, metric: str, plans: int, traces: int) -> None:
    found = fewest.load(name).solutions(metric, listed=3)
    assert (found.num_plans, found.num_traces) == (plans, traces)
    assert found.is_unique == (traces == 1)
    assert len(found.plans) == min(3, traces)
    assert all(plan.counted for plan in found.plans)


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("hardest-6x6", "slides"),
        ("heng-dao-li-ma", "turns"),
        ("microban-001", "pushes-then-moves"),
        ("two-rings", "turns"),
        ("toll", "effort"),
    ],
)
def test_both_normal_forms_count_the_same(name: str, metric: str) -> None:
    compiled = fewest.load(name)
    graph = graph_of(compiled, metric_of(compiled.grounded, metric))
    assert graph is not None
    traces = TraceGraph(graph)
    assert 0 < count_traces(traces) == count_fixed(traces)
    assert len(list_traces(traces, 100_000)) == min(100_000, count_traces(traces))


def test_a_ring_that_permutes_facts_can_break_the_symmetry_of_other_rules(tmp_path: Path) -> None:
    """The board and `swap` are mirror-symmetric, but the ring turns in one direction only."""
    file = tmp_path / "one-way.yaml"
    file.write_text(
        """\
puzzle: one-way
legend: {a: a, b: b, c: c, d: d, e: e, f: f}
pieces: {a: {}, b: {}, c: {}, d: {}, e: {}, f: {}}
moves:
  ring:
    directions: forward
    cycle: [[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [0, 5], [1, 5], [1, 4], [1, 3], [1, 2], [1, 1], [1, 0]]
  swap: {before: [a, b], after: [b, a], directions: left right}
board: |
  abccba
  bdffdb
goal: cell(0, 0) == b or cell(0, 5) == b
"""
    )
    found = fewest.load(file).solutions(up_to_symmetry=True)
    assert (found.num_plans, found.num_orbits, found.num_symmetries) == (3, 3, 1)


def test_a_ring_of_equal_pieces_does_not_turn(tmp_path: Path) -> None:
    """Each cycle of `top` has two equal pieces, so this turn changes nothing and is no move of longer plans."""
    file = tmp_path / "pairs.yaml"
    file.write_text(
        """\
puzzle: pairs
legend: {a: a, b: b, c: c, d: d, e: e, f: f}
pieces: {a: {}, b: {}, c: {}, d: {}, e: {}, f: {}}
moves:
  top: {cycles: [[[0, 0], [0, 1]], [[0, 2], [0, 3]], [[0, 4], [0, 5]]]}
  bottom: {cycles: [[[1, 0], [1, 1]], [[1, 2], [1, 3]], [[1, 4], [1, 5]]]}
  all: {cycle: [[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [0, 5], [1, 5], [1, 4], [1, 3], [1, 2], [1, 1], [1, 0]]}
board: |
  aabbcc
  deedff
goal: {board: "aabbcc\\nedde??"}
"""
    )
    found = fewest.load(file).solutions(at_most=3)
    # Turns of `all` forward and backward in either order, then `bottom`, are the plans of three moves.
    assert [(row.cost, row.num_plans, row.num_traces) for row in found.beyond] == [
        (1, 1, 1),
        (3, 2, 2),
    ]


def test_plans_up_to_symmetry_are_the_orbits_of_the_traces() -> None:
    found = fewest.load("guarini").solutions(up_to_symmetry=True)
    assert (found.num_traces, found.num_orbits, found.num_symmetries) == (2, 1, 4)
    assert found.to_json()["all_symmetries"] is True
    assert "  up to symmetry 1 (4 symmetries of the start)" in figures(found)
    alone = fewest.load("hardest-6x6").solutions(up_to_symmetry=True)
    assert (alone.num_traces, alone.num_orbits, alone.num_symmetries) == (1, 1, 1)
    assert "  up to symmetry 1 (no symmetry of the task fixes the start)" in figures(alone)


def test_symmetries_that_were_not_found_are_not_denied() -> None:
    """The puzzle is mirror-symmetric, but its ring permutes facts, so no symmetry is searched for."""
    text = """\
puzzle: mirrored
legend: {a: a, b: b, c: c, d: d, e: e, f: f}
pieces: {a: {}, b: {}, c: {}, d: {}, e: {}, f: {}}
moves:
  ring: {cycle: [[0, 0], [0, 1], [0, 2], [0, 3], [0, 4], [0, 5], [1, 5], [1, 4], [1, 3], [1, 2], [1, 1], [1, 0]]}
board: |
  abccba
  deffed
goal: cell(0, 0) == b and cell(1, 5) == e or cell(0, 5) == b and cell(1, 0) == e
"""
    found = fewest.load("mirrored.yaml", text=text).solutions(up_to_symmetry=True)
    assert found.num_symmetries == 1
    assert found.to_json()["all_symmetries"] is False
    line = next(line for line in figures(found) if "up to symmetry" in line)
    assert line.endswith("at most 2 (no symmetry of the start was found; symmetries may exist)")


@pytest.mark.parametrize("metric", ["turns", "steps-then-turns"])
def test_a_limit_after_the_count_leaves_only_the_counted_figures(
    metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the figures nor `explain --hard` may report zero for a figure that was not computed."""

    def stop(*_: object) -> None:
        raise LimitReached("time")

    text = """\
puzzle: bend
legend: {A: car, ".": floor}
pieces: {car: {}}
moves: {step: {slide: car}}
metrics: {steps: {}, turns: {merge: path}, steps-then-turns: [steps, turns]}
goal: {car: {at: [1, 1]}}
board: |
  A.
  ..
"""
    monkeypatch.setattr(merged_plans, "graph_of_runs", stop)
    monkeypatch.setattr(merged_plans, "plan_graph", stop)
    compiled = fewest.load("bend.yaml", text=text)
    found = compiled.solutions(metric, audit="off")
    assert (found.status, found.reason, found.num_traces) == ("optimal", "time", None)
    assert found.minimum is not None
    assert heading(found).endswith("(time limit: some figures are missing)")
    assert [line.split()[0] for line in figures(found)] == ["optimal"]
    assert found.to_json()["shared_moves"] is None
    hard = compiled.explain_hardness(metric)
    assert (hard.reason, hard.bottlenecks, hard.num_shared) == ("time", None, None)


def test_a_limit_leaves_the_results() -> None:
    found = fewest.load("hardest-6x6").solutions(seconds=0)
    assert (found.status, found.reason, found.num_plans) == ("limit", "time", None)
    assert found.exit_code == 4


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("quzzle", "turns"),
        ("walls-42", "slides"),
        ("blockado", "turns"),
        ("jewel-swap", None),
        ("traffic-cop-tangle", "slides"),
        ("zou-tou-wu-lu", None),  # unsolvable
    ],
)
def test_the_core_and_arrays_of_all_positions_agree(
    name: str, metric: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_core = fewest.load(name).solutions(metric, up_to_symmetry=True, listed=3, audit="off")
    monkeypatch.setattr(goal_distances_by_core, "measure_goal_distances", lambda *_, **__: None)
    by_arrays = fewest.load(name).solutions(metric, up_to_symmetry=True, listed=3, audit="off")
    left_out = {"seconds": 0, "listed": [], "shared_moves": []}  # plans may be in a different order
    assert by_core.to_json() | left_out == by_arrays.to_json() | left_out
    assert len(by_core.plans) == len(by_arrays.plans)
    assert sorted(map(_way, by_core.shared)) == sorted(map(_way, by_arrays.shared))


def _way(move: str) -> str:
    """The text of a move without the piece, because interchangeable pieces get their names from the first plan."""
    return move.partition(" ")[2]


def test_plans_below_the_minimum_are_one_line() -> None:
    for metric in ("steps", "slides"):
        found = fewest.load("bird").solutions(metric, at_most=5)
        assert found.to_json()["at_most"] == [{"cost": 5, "plans": 0, "plans_up_to_order": 0}]
        message = f"at most 5 {metric}: no plan, because the minimum is {found.minimum}"
        assert [line.strip() for line in figures(found)][-1] == message


def test_plans_beyond_the_minimum_of_a_pair_are_refused() -> None:
    with pytest.raises(UsageError, match="--at-most needs a metric with one number"):
        fewest.load("microban-001").solutions("pushes-then-moves", at_most=60)


def test_plans_in_a_pair_of_metrics_also_share_the_positions_within_a_merged_move() -> None:
    compiled = compiled_or_none(
        """\
puzzle: two-lanes
legend: {A: car, ".": floor, "#": wall}
pieces: {car: {}}
moves: {step: {slide: car}}
metrics: {steps: {}, slides: {merge: line}, both: [slides, steps]}
goal: {car: {at: [1, 3]}}
board: |
  A..#
  #...
"""
    )
    assert compiled is not None
    found = compiled.solutions("both", audit="off")
    assert found.num_plans == 2
    assert [one.left for one in found.bottlenecks] == [(3, 4), (2, 3), (1, 1), (0, 0)]
    assert (found.num_shared, found.num_moves) == (2, 6)


DOCUMENT = """
puzzle: corridor
legend: {"@": man, ".": floor}
pieces: {man: {}}
moves: {walk: {slide: man}}
goal: {man: {at: [1, 1]}}
board: |
  @.
  ..
expect: {unique: true, plans: 2}
"""


def test_expectations_of_plans_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "corridor.yaml"
    path.write_text(DOCUMENT)
    check = check_document(path, Effort())
    assert check.errors is None, check.errors
    verdicts = {row.key: (row.found, row.verdict) for row in check.rows}
    assert verdicts == {"unique": (False, "wrong"), "plans": (2, "ok")}


def test_the_command_prints_the_numbers_and_the_plans() -> None:
    done = run("solutions", "guarini", "--list", "2")
    assert done.returncode == 0
    assert "2 plans, up to the order of independent moves" in done.stdout
    assert "plans 1 and 2 differ in move 1:" in done.stdout
    data = json.loads(run("solutions", "bird", "-m", "steps", "--json").stdout)
    assert (data["plans"], data["plans_up_to_order"], data["unique"]) == (166399200, 1, True)
    assert run("solutions", "zou-tou-wu-lu").returncode == 10


def test_a_plan_is_replayed_only_if_its_moves_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a puzzle has consequences, a replay takes much longer than the search."""
    replayed: list[int] = []

    def counted(*arguments: Any) -> Any:
        replayed.append(1)
        return validate(*arguments)

    monkeypatch.setattr(search_for_solutions, "validate", counted)
    found = fewest.load("wolf-goat-cabbage").solutions(audit="off")
    assert (found.num_traces, replayed) == (2, [])
    assert len(found.shared) == found.num_shared > 0
    assert found.to_json()["shared_moves"] == list(found.shared)
    assert len(replayed) == 1
