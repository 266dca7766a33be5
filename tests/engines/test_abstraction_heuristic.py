"""With abstractions, the heuristic of A* is admissible, and the minima are those of the reference interpreter."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import fewest
from fewest import search
from fewest.analysis.abstraction import alike, goal_pieces, only, without_names
from fewest.engines import portfolio
from fewest.engines.abstraction_heuristic import abstractions
from fewest.engines.registry import has_one_weight
from fewest.errors import DocumentError, UsageError
from fewest.model.costs import RunRule, run_rule
from fewest.model.metric import Metric
from fewest.model.task import Task, facts_in
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from tests.helpers.agreement import LIMIT, compiled_or_none, relaxed
from tests.helpers.random_puzzles import puzzles
from tests.helpers.stages import without

native = pytest.mark.skipif(not search.NATIVE, reason="the engine is not there")

UPSIDE_DOWN = """puzzle: upside-down
model: sliding-blocks
metric: turns
board: |
  AAB
  CDB
  EFG
  ..H
goal:
  board: |
    ..H
    EFG
    DCB
    AAB
"""


@st.composite
def distinguished(draw: st.DrawFn) -> str:
    """Blocks of few shapes, each with its own letter; the drawing of the goal puts them elsewhere."""
    shapes = draw(st.lists(st.sampled_from(["#", "##", "#\n#"]), min_size=2, max_size=5))
    boards = [_laid_out(draw, shapes) for _ in range(2)]
    assume(all(boards))
    drawn = ["\n".join("  " * deep + row for row in board) for deep, board in enumerate(boards, 1)]
    return (
        "puzzle: told-apart\nmodel: sliding-blocks\nmetric: "
        + draw(st.sampled_from(["steps", "slides", "turns"]))
        + f"\nboard: |\n{drawn[0]}\ngoal:\n  board: |\n{drawn[1]}\n"
    )


def _laid_out(draw: st.DrawFn, shapes: list[str]) -> list[str]:
    """The pieces at random places on a board of 3x3 cells, by their letters; no rows if a piece does not fit."""
    board = [["."] * 3 for _ in range(3)]
    for letter, shape in zip("ABCDE", shapes, strict=False):
        cells = [(0, 0), *{"#": [], "##": [(0, 1)]}.get(shape, [(1, 0)])]
        free = [
            (r, c)
            for r in range(3)
            for c in range(3)
            if all(r + y < 3 and c + x < 3 and board[r + y][c + x] == "." for y, x in cells)
        ]
        if not free:
            return []
        r, c = draw(st.sampled_from(free))
        for y, x in cells:
            board[r + y][c + x] = letter
    return ["".join(row) for row in board]


def costs_to_goal(task: Task, metric: Metric) -> dict[int, int]:
    """The cost to the goal from every reachable state that is not dead, by the rule of merged moves alone."""
    rule = run_rule(task, metric)
    before: dict[int, set[int]] = {}
    waiting, known = deque([task.initial]), {task.initial}
    while waiting:
        state = waiting.popleft()
        for after in ends_of_a_run(task, rule, state):
            before.setdefault(after, set()).add(state)
            if after not in known:
                known.add(after)
                waiting.append(after)
    found = {state: 0 for state in known if task.is_goal(state)}
    waiting = deque(found)
    while waiting:
        state = waiting.popleft()
        for other in before.get(state, ()):
            if other not in found:
                found[other] = found[state] + 1
                waiting.append(other)
    return found


def ends_of_a_run(task: Task, rule: RunRule, state: int) -> set[int]:
    """All states that a sequence of operators reaches for the cost of one."""
    ends: set[int] = set()
    waiting = [(state, rule.fresh)]
    known = set(waiting)
    while waiting:
        now, tokens = waiting.pop()
        for number, operator in enumerate(task.operators):
            if not operator.is_applicable(now):
                continue
            after = operator.apply(now)
            paid, left = rule.step(number, tokens)
            if task.is_forbidden(after) or (paid != rule.zero and now != state):
                continue
            if (paid == rule.zero) == (tokens == rule.fresh):
                continue
            ends.add(after)
            if (after, left) not in known:
                known.add((after, left))
                waiting.append((after, left))
    return ends - {state}


@given(distinguished() | puzzles())
@settings(relaxed, max_examples=25)
def test_bounds_are_admissible_and_consistent(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    task = compiled.task
    assume(not task.consequences)
    for metric in task.metrics.values():
        if not has_one_weight(metric):
            continue
        try:
            exhaust(compiled.puzzle, metric, LIMIT)
        except (TooManyPositionsError, DocumentError):
            assume(False)
        cost = costs_to_goal(task, metric)
        rule = run_rule(task, metric)
        for one in abstractions(task, metric):
            bounds = costs_to_goal(one.task, metric)
            for state, least in cost.items():
                bound = bounds[image_of(one.image, state)]
                assert bound <= least
                for after in ends_of_a_run(task, rule, state):
                    assert bound <= 1 + bounds.get(image_of(one.image, after), bound)


def image_of(image: tuple[int, ...], state: int) -> int:
    return sum({1 << image[fact] for fact in facts_in(state) if image[fact] >= 0})


@native
@given(distinguished() | puzzles())
@relaxed
def test_minima_are_those_of_the_reference(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    for metric in compiled.puzzle.metrics.values():
        if not has_one_weight(metric):
            continue
        try:
            minimum = exhaust(compiled.puzzle, metric, LIMIT).minimum
        except (TooManyPositionsError, DocumentError):
            assume(False)
        found = compiled.solve(metric.name, engine="astar", heuristic="abstraction")
        assert found.cost == (None if minimum is None else minimum[0]), text


def test_pieces_are_similar_if_they_have_the_same_places_and_moves() -> None:
    task = fewest.load("upside-down.yaml", text=UPSIDE_DOWN).task
    sets = [
        [task.facts[facts[0]].name.partition("@")[0] for facts in found] for found in alike(task)
    ]
    assert sets == [["C", "D", "E", "F", "G", "H"]]
    nameless = without_names(task, alike(task)).task
    assert [group.count for group in nameless.exactly] == [1, 1, 6]
    assert len(nameless.operators) < len(task.operators)


def test_an_agent_and_the_piece_it_pushes_are_not_interchangeable() -> None:
    assert alike(fewest.load("microban-001").task) == []


def test_a_piece_that_others_carry_is_not_taken_alone() -> None:
    text = (
        "puzzle: p\nboard: |\n  AB..\nlegend: {'.': floor}\npieces: {block: {letters: A-Z}}\n"
        "moves: {push: {slide: A, carries: any}}\ngoal: {B: {at: [0, 3]}}\n"
    )
    task = fewest.load("p.yaml", text=text).task
    (piece,) = goal_pieces(task)
    assert only(task, piece) is None


@native
def test_distinct_pieces_are_solved_with_a_bound_from_the_abstraction() -> None:
    puzzle = fewest.load("upside-down.yaml", text=UPSIDE_DOWN)
    found, known = puzzle.solve(engine="astar", heuristic="abstraction"), puzzle.solve(engine="bfs")
    assert (found.status, found.cost) == ("optimal", known.cost)
    assert found.statistics["initial_bound"][0] > 0
    assert found.statistics["expanded"] < known.statistics["expanded"]


@native
def test_a_search_without_names_replaces_a_long_search(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = fewest.load("upside-down.yaml", text=UPSIDE_DOWN)
    with monkeypatch.context() as patch:
        patch.setattr(portfolio, "DEFAULT", without(portfolio.DEFAULT, "abstraction"))
        assert puzzle.solve().engine in ("bfs", "bidirectional")
    found = puzzle.solve()
    assert (found.status, found.cost) == ("optimal", puzzle.solve(engine="bfs").cost)
    assert found.statistics["stages"][-1]["stage"] == "abstraction"


@native
def test_a_fact_that_is_always_true_has_an_image() -> None:
    """Tile Z cannot move. A state of the task packs its only place into no bits, but the goal of the abstraction, where
    states are not packed, requires this place.
    """
    compiled = compiled_or_none(
        """\
puzzle: one-tile-apart
legend: {".": floor, "#": wall}
pieces: {tile: {letters: A-Z}}
moves: {slide: {slide: tile}}
goal: {board: "BAH#\\nDEF#\\nGC.#\\n###Z"}
board: |
  ABC#
  DEF#
  GH.#
  ###Z
"""
    )
    assert compiled is not None
    found = compiled.solve(engine="astar", heuristic="abstraction")
    assert (found.status, found.cost) == ("optimal", 22)


@native
def test_metrics_with_free_moves_are_refused() -> None:
    with pytest.raises(UsageError, match="do not all cost the same"):
        fewest.load("microban-001").solve("pushes", engine="astar", heuristic="abstraction")


@native
def test_an_abstraction_without_room_is_left_out() -> None:
    found = fewest.load("eight-puzzle").solve(
        engine="astar", heuristic="abstraction", memory=8 << 20
    )
    assert found.status == "optimal" or found.reason == "memory"
    assert found.statistics["bytes"] <= 8 << 20


SWAPS = """
puzzle: swaps
board: |
  p.o.
  q.o.
wrap: both
legend: {".": floor, p: p, q: q, o: o}
pieces: {p: {}, q: {}, o: {}}
moves:
  step: {before: [any, empty], after: [empty, any]}
  swap: {before: [p, q], after: [q, p]}
goal: {board: "o.p.\\no.q."}
metrics: {runs: {merge: path}, moves: {}}
"""


@native
def test_pieces_that_change_places_within_a_merged_move_keep_their_names() -> None:
    """If `p` and `q` have no names, a swap has no effect, but the run of `q` continues from the place of `p`."""
    compiled = fewest.load("swaps.yaml", text=SWAPS)
    nameless = without_names(compiled.task, alike(compiled.task))
    assert nameless.loses_runs
    runs, moves = (compiled.task.metrics[name] for name in ("runs", "moves"))
    assert not nameless.suits(runs) and nameless.suits(moves)
    for metric in ("runs", "moves"):
        expected = compiled.solve(metric, engine="bfs")
        found = compiled.solve(metric, engine="astar", heuristic="abstraction")
        assert (found.status, found.cost) == ("optimal", expected.cost)
