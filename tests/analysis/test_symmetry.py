"""Searches by symmetry give the results of plain searches, and use no permutation that is not a symmetry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from msgspec.structs import replace

import fewest
from fewest import search
from fewest.analysis import symmetry
from fewest.analysis.symmetry import _Graph, find_symmetry, max_order, search_symmetry
from fewest.engines import portfolio
from fewest.errors import UsageError
from fewest.machine.resources import puzzles as shipped
from fewest.model.costs import CostTable, cost_table, plan_cost
from fewest.model.metric import metric_of
from fewest.model.problem import Problem, Symmetry
from fewest.model.task import facts_in
from fewest.playing.validate import validate
from fewest.search.interface import Budget, Outcome, UnusedSymmetryError
from fewest.search.orbit_plan import pull_back
from fewest.search.pure import breadth_first as pure
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.command_line import run
from tests.helpers.random_puzzles import puzzles
from tests.helpers.symmetric_puzzles import symmetric_puzzles

# One small puzzle of every family that has symmetries; the slow test searches the others.
SOME = [
    "heng-dao-li-ma",
    "zou-tou-wu-lu",
    "machinarium",
    "clones-three",
    "swinging-stone",
    "six-knights",
    "octagon-21",
    "square-4x4-b",
    "triangle-15",
    "four-rings",
    "ten-step-solution",
    "microban-066",
    "pull-out",
    "eight-puzzle-2",
    "bridge",
    "hanoi-four-pegs",
    "lights-out-3x3",
    "wolf-goat-cabbage",
]


def tables(name: str, metric: str | None = None) -> tuple[Problem, CostTable]:
    task = fewest.load(name).task
    return task.problem, cost_table(task, metric_of(task, metric))


def check_search(
    compiled: fewest.CompiledPuzzle, metric: str, plain: Outcome, found: Outcome, group: Symmetry
) -> None:
    """Compare every result of a search by symmetry with the plain exhaustive search."""
    assert found.canonical_states is not None and found.orbit_states is not None
    assert found.cost == plain.cost
    if found.cost is not None:
        task = compiled.task
        assert plan_cost(task, metric_of(task, metric), found.plan) == found.cost
        validate(compiled.puzzle, task, metric_of(task, metric), found.plan, found.cost)
    if found.status != "exhausted":
        return
    assert found.canonical_states <= plain.num_states <= found.orbit_states
    if group.fixes_initial:
        counts = (found.num_states, found.num_goal_states, found.layers)
        assert counts == (plain.num_states, plain.num_goal_states, plain.layers)
        assert found.orbit_states == plain.num_states
    else:
        assert found.num_states == found.canonical_states


def check_puzzle(
    compiled: fewest.CompiledPuzzle, metrics: Iterable[str], searches: Iterable[object], most: int
) -> int:
    """Search in all metrics, by the whole group and by the subgroup that fixes the start; return the number of
    searches."""
    problem, checked = compiled.task.problem, 0
    for metric in metrics:
        table = cost_table(compiled.task, metric_of(compiled.task, metric))
        groups = [find_symmetry(problem, table, fix_initial=fix) for fix in (False, True)]
        if groups == [None, None]:
            continue
        plain = search.search(problem, table, exhaust=True, memory=1 << 28)
        if plain.status != "exhausted" or plain.num_states > most:
            continue
        for group in filter(None, groups):
            for search_core in searches:
                for exhaust in (True, False):
                    try:
                        found = search_core(problem, table, exhaust=exhaust, symmetry=group)  # type: ignore[operator]
                    except UnusedSymmetryError:
                        assert plain.algorithm == "dijkstra"
                        continue
                    check_search(compiled, metric, plain, found, group)
                    checked += 1
    return checked


def is_symmetry(
    problem: Problem, cost: CostTable, facts: Sequence[int], *keys: Sequence[int]
) -> bool:
    """Whether mapping each fact f to facts[f] and each key k to keys[part][k] is a symmetry, whatever the start is."""
    graph = _Graph(problem, cost, False)
    permutation = [*facts]
    for part in keys:
        first = len(permutation)
        permutation += [first + key for key in part]
    return graph.is_automorphism(np.array(permutation, dtype=np.int32))


@settings(relaxed, max_examples=30)
@given(symmetric_puzzles())
def test_symmetry_does_not_change_answers_about_symmetric_random_puzzles(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    check_puzzle(compiled, compiled.metrics, (search.search, pure.search), 400)


@settings(relaxed, max_examples=30)
@given(puzzles())
def test_symmetry_does_not_change_answers_about_random_puzzles(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    check_puzzle(compiled, compiled.metrics, (search.search, pure.search), 400)


@pytest.mark.parametrize("name", SOME)
def test_symmetry_does_not_change_answers_about_shipped_puzzles(name: str) -> None:
    compiled = fewest.load(name)
    assert check_puzzle(compiled, compiled.metrics, (search.search,), 250_000)


@pytest.mark.slow
@settings(relaxed, max_examples=1_000)
@given(symmetric_puzzles())
def test_symmetry_does_not_change_answers_about_many_symmetric_random_puzzles(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    check_puzzle(compiled, compiled.metrics, (search.search, pure.search), 400)


@pytest.mark.slow
def test_symmetry_does_not_change_answers_about_all_shipped_puzzles() -> None:
    checked = 0
    for _, name, _ in shipped():
        compiled = fewest.load(name)
        if compiled.grounded.permutations:
            continue
        checked += check_puzzle(compiled, compiled.metrics, (search.search,), 10_000_000)
    assert checked > 400


def test_half_of_the_klotski_is_searched_and_all_of_it_is_counted() -> None:
    found = fewest.load("heng-dao-li-ma").explore(symmetry="on")
    plain = fewest.load("heng-dao-li-ma").explore(symmetry="off")
    # The puzzle's file also gives 25,955 positions; 67 of these are their own mirror images.
    assert (found.num_states, found.canonical_states) == (25_955, (25_955 + 67) // 2)
    assert plain.canonical_states is None
    assert replace(found, canonical_states=None, seconds=0.0, audited=None) == replace(
        plain, seconds=0.0, audited=None
    )


@pytest.mark.slow
def test_english_peg_solitaire_has_its_published_numbers() -> None:
    # George Bell, Solving triangular and other peg solitaire: from the central vacancy, 187,636,299 positions can be
    # reached, or 23,475,688 if symmetric positions count once.
    statistics = fewest.load("english").solve("jumps", exhaust=True, symmetry="on").statistics
    assert statistics["states"] == 187_636_299
    assert statistics["symmetry"]["canonical_states"] == 23_475_688


def test_groups_have_their_known_orders() -> None:
    orders = {
        "heng-dao-li-ma": 2,  # a mirror
        "english": 8,  # the symmetries of the square
        "triangle-15": 6,  # the symmetries of the triangle
        "hanoi-four-pegs": 6,  # permutations of the pegs
        "tiles-torus": 8,
    }
    for name, order in orders.items():
        group = find_symmetry(*tables(name))
        assert group is not None and group.order == order, name
    four_people = find_symmetry(*tables("bridge", "crossings"))
    assert four_people is not None and four_people.order == 24
    assert find_symmetry(*tables("bridge", "minutes")) is None  # all four have different speeds
    assert find_symmetry(*tables("hardest-6x6")) is None
    mirror = find_symmetry(*tables("du-se-yao-dao"))
    assert mirror is not None and not mirror.fixes_initial
    assert find_symmetry(*tables("du-se-yao-dao"), fix_initial=True) is None


@pytest.mark.parametrize(("name", "metric"), [("english", "turns"), ("tiles-torus", None)])
def test_a_group_is_closed_and_each_element_is_verified(name: str, metric: str | None) -> None:
    problem, cost = tables(name, metric)
    group = find_symmetry(problem, cost)
    assert group is not None
    assert group.facts[0].tolist() == list(range(problem.num_facts))
    elements = {row.tobytes() for row in group.facts}
    assert len(elements) == group.order
    for g, row in enumerate(group.facts):
        assert is_symmetry(problem, cost, row.tolist(), *(keys[g].tolist() for keys in group.keys))
        assert all(row[other].astype(np.int32).tobytes() in elements for other in group.facts)


def test_a_wrong_permutation_is_rejected() -> None:
    problem, cost = tables("heng-dao-li-ma", "steps")
    group = find_symmetry(problem, cost)
    assert group is not None
    mirror = group.facts[1].tolist()
    assert is_symmetry(problem, cost, mirror)
    for first, second in [(0, 1), (3, 30), (10, 50)]:
        wrong = list(mirror)
        wrong[first], wrong[second] = wrong[second], wrong[first]
        assert not is_symmetry(problem, cost, wrong)
    assert not is_symmetry(problem, cost, [mirror[1], *mirror[1:]])  # not a permutation
    assert not is_symmetry(problem, cost, mirror[:-1])
    corner = replace(problem, goal_mask=problem.initial, goal_value=problem.initial)
    assert is_symmetry(corner, cost, mirror)  # the start is its own mirror image
    some = np.uint64(int(problem.initial[0]) & -int(problem.initial[0]))
    one_fact = np.array([[some]], dtype=np.uint64)
    assert not is_symmetry(replace(problem, goal_mask=one_fact, goal_value=one_fact), cost, mirror)
    assert not is_symmetry(
        replace(problem, forbid_mask=one_fact, forbid_value=one_fact), cost, mirror
    )


def test_where_the_start_breaks_a_group_nothing_is_a_symmetry() -> None:
    problem, cost = tables("heng-dao-li-ma", "steps")
    identity = list(range(problem.num_facts))
    assert is_symmetry(problem, cost, identity)
    one, other = problem.exactly_one[0][:2]
    both = np.array([[1 << one | 1 << other]], dtype=np.uint64)
    for start in (np.zeros_like(both), both):
        assert not is_symmetry(replace(problem, initial=start), cost, identity)


def test_a_refinement_takes_from_the_work_that_is_left() -> None:
    graph = _Graph(*tables("heng-dao-li-ma", "steps"), False, 10**9)
    colours = graph.refine(graph.start)
    rounds, rest = divmod(10**9 - graph.work, graph.size + 5_000)
    assert rounds >= 2 and rest == 0
    before = graph.work
    assert (np.unique(graph.refine(colours)).size, before - graph.work) == (
        np.unique(colours).size,
        graph.size + 5_000,  # one round proves that the colours are stable
    )


def test_a_mirror_that_changes_costs_is_no_symmetry() -> None:
    text = """
puzzle: corridor
board: "..a.."
legend: {a: a, ".": floor}
pieces: {a: {}}
moves:
  east: {before: [a, empty], after: [empty, a], directions: [[0, 1]]}
  west: {before: [empty, a], after: [a, empty], directions: [[0, 1]]}
goal: [{a: {touches: left}}, {a: {touches: right}}]
metrics: {steps: {}, uphill: {count: {east: 1, west: 2}}, runs: {merge: line},
          both: [steps, uphill]}
"""
    task = fewest.load("corridor.yaml", text=text).task
    found = {
        name: find_symmetry(task.problem, cost_table(task, metric))
        for name, metric in task.metrics.items()
    }
    assert {name for name, group in found.items() if group is not None} == {"steps", "runs"}


def test_keys_go_with_the_facts() -> None:
    problem, cost = tables("heng-dao-li-ma", "turns")
    group = find_symmetry(problem, cost)
    assert group is not None
    mirror, keys = group.facts[1].tolist(), group.keys[0][1].tolist()
    assert is_symmetry(problem, cost, mirror, keys)
    assert not is_symmetry(problem, cost, mirror, list(range(len(keys))))
    assert search_symmetry(problem, cost).is_whole


def test_a_search_for_symmetries_that_a_limit_stops_does_not_claim_the_whole_group(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = fewest.load("hanoi").in_flips.task
    problem, cost = task.problem, cost_table(task, metric_of(task, None))
    assert search_symmetry(problem, cost).is_whole
    assert not search_symmetry(problem, cost, most=1).is_whole  # too many literals
    monkeypatch.setattr(symmetry, "MAX_ROUNDS", 0)
    assert not search_symmetry(problem, cost).is_whole


def test_large_groups_are_cut_to_a_subgroup() -> None:
    text = """
puzzle: lamps
variables: {"v[i]": {for: {i: range(8)}, values: range(2), initial: "0"}}
moves: {switch: {for: {i: range(8)}, when: "v[i] == 0", set: {"v[i]": "1"}}}
goal: "all(v[i] == 1 for i in range(8))"
"""
    compiled = fewest.load("lamps.yaml", text=text)
    problem, cost = compiled.task.problem, cost_table(compiled.task, metric_of(compiled.task, None))
    found_symmetry = search_symmetry(problem, cost)
    group = found_symmetry.symmetry
    assert group is not None and 2 <= group.order <= max_order(problem) < 40_320
    assert not found_symmetry.is_whole
    plain = search.search(problem, cost, exhaust=True)
    found = search.search(problem, cost, exhaust=True, symmetry=group)
    assert (plain.num_states, found.num_states, found.layers) == (256, 256, plain.layers)
    assert found.canonical_states is not None and found.canonical_states < 256 // 8


def test_a_plan_from_the_mirrored_start_is_mirrored_back() -> None:
    compiled = fewest.load("du-se-yao-dao")
    task, metric = compiled.task, metric_of(compiled.task, "turns")
    problem, cost = task.problem, cost_table(task, metric)
    group = find_symmetry(problem, cost)
    assert group is not None
    mirror = group.facts[1].tolist()
    image = sum(1 << mirror[fact] for fact in facts_in(task.initial))
    there = replace(problem, initial=np.array([image], dtype=np.uint64))
    plan = search.search(there, cost).plan
    back = pull_back(problem, cost, group, plan)
    assert back != plan and plan_cost(task, metric, back) == plan_cost(task, metric, plan) == (40,)
    validate(compiled.puzzle, task, metric, back, (40,))
    assert pull_back(problem, cost, group, back) == back
    with pytest.raises(ValueError, match="no image"):
        pull_back(problem, cost, group, plan[1:])


@pytest.mark.parametrize(
    "core",
    [
        pytest.param({}, id="bfs"),
        pytest.param({"engine": "python", "symmetry": "auto"}, id="python", marks=pytest.mark.slow),
    ],
)
def test_auto_uses_symmetry_where_the_search_is_long(
    monkeypatch: pytest.MonkeyPatch, core: dict[str, str]
) -> None:
    klotski = fewest.load("heng-dao-li-ma")
    assert "symmetry" not in klotski.solve(exhaust=True).statistics
    for table in ("BY_LAYERS", "DEFAULT"):
        stages = [
            replace(stage, after=Budget(bytes=1 << 16))
            for stage in getattr(portfolio, table)
            if stage.search.startswith("layers")
        ]
        monkeypatch.setattr(portfolio, table, tuple(stages))
    long = klotski.solve(exhaust=True, **core)
    assert long.statistics["states"] == 25_955
    assert long.statistics["symmetry"] == {
        "order": 2,
        "fixes_start": True,
        "canonical_states": 13_011,
        "orbit_states": 25_955,
    }
    assert "25,955 states by symmetry from 13,011" in long.summary()
    other = fewest.load("du-se-yao-dao")
    assert other.explore().num_states == 81_462  # no mirror fixes the start
    assert "states up to symmetry" in other.solve(**core).summary()
    assert "symmetry" not in other.solve(exhaust=True, **core).statistics
    assert "symmetry" not in fewest.load("hardest-6x6").solve(**core).statistics
    assert "symmetry" not in klotski.solve(symmetry="off").statistics
    stopped = klotski.solve(memory=1 << 17)
    assert stopped.status == "limit" and stopped.reason == "memory"


def test_symmetry_is_refused_with_the_reason() -> None:
    with pytest.raises(UsageError, match="no symmetry of the puzzle was found"):
        fewest.load("hardest-6x6").solve(symmetry="on")
    with pytest.raises(UsageError, match="no symmetry maps the start to itself"):
        fewest.load("du-se-yao-dao").explore(symmetry="on")
    with pytest.raises(UsageError, match="`yes` is not a valid value of --symmetry"):
        fewest.load("hardest-6x6").solve(symmetry="yes")
    if search.NATIVE:
        with pytest.raises(UsageError, match="does not support this metric"):
            fewest.load("microban-066").solve("pushes-then-moves", symmetry="on")
    found = run("solve", "bird", "-e", "sat", "--symmetry", "on")
    assert found.returncode == 2 and "does not support --symmetry" in found.stderr


def test_the_command_line_reports_the_searched_instances() -> None:
    found = run("explore", "heng-dao-li-ma", "--symmetry", "on")
    assert found.returncode == 0 and "13,011 positions searched" in found.stdout
    solved = run("solve", "du-se-yao-dao", "--symmetry", "on")
    assert solved.returncode == 0 and "states up to symmetry" in solved.stdout


def test_a_task_with_permutations_has_no_symmetry() -> None:
    """The steps alone are symmetric: a mirror exchanges `A` and `H`, `B` and `G`, and so on. The ring is not."""
    compiled = fewest.load(
        "ring-at-an-end.yaml",
        text="""
puzzle: ring-at-an-end
pieces: {tile: {letters: A-H}}
legend: {".": floor}
moves:
  spin: {cycle: "[[0, i] for i in range(8)]"}
  step: {before: [any, empty], after: [empty, any], directions: horizontal}
board: |
  ABCD..EFGH
goal: {any: [{A: {at: [0, 4]}}, {H: {at: [0, 5]}}]}
""",
    )
    task = compiled.grounded
    assert task.permutations
    table = cost_table(task, metric_of(task, None))
    assert find_symmetry(task.problem, table, fix_initial=True) is None
    found = compiled.solutions(up_to_symmetry=True)
    assert (found.num_traces, found.num_orbits, found.num_symmetries) == (2, 2, 1)
