"""A* gives the answers of exhaustive search, and its heuristic is admissible."""

from __future__ import annotations

from array import array
from functools import cache
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

import fewest
from fewest import search
from fewest.engines import astar
from fewest.engines.answers import pieces_of
from fewest.errors import UsageError
from fewest.model.answer import Answer, Limits
from fewest.model.costs import cost_table
from fewest.model.metric import metric_of
from fewest.search.informed import InformedProblem, InformedSearch
from fewest.search.interface import ALL, SearchLimits
from tests.helpers.console import MANNERS
from tests.helpers.small_levels import compiled_level, known_minimum, level

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="A* needs the native core")

METRICS = ("pushes", "moves", "lines", "pushes-then-moves", "moves-then-pushes")


def check_agreement(text: str, metrics: tuple[str, ...]) -> bool:
    """Whether there is a plan. Fails if A* and exhaustive search disagree about the cost in any metric."""
    compiled = compiled_level(text)
    is_solvable = False
    for metric in metrics:
        expected = known_minimum(text, metric)
        found = compiled.solve(metric, engine="astar", audit="off")
        assert (found.status, found.cost) == expected, (metric, text)
        is_solvable = found.cost is not None
    return is_solvable


def test_astar_agrees_with_exhaustive_search_on_small_levels() -> None:
    assert sum(check_agreement(level(seed), METRICS) for seed in range(40)) >= 10


def wide_level(rng: Random, model: str, letters: str, floor: str = " ") -> str:
    """A board of 18x18 cells, so that the places of one piece take more bits than four words have."""
    cells = [["#" if rng.random() < 0.15 else floor for _ in range(18)] for _ in range(18)]
    places = [(row, column) for row in range(18) for column in range(18)]
    for letter, (row, column) in zip(letters, rng.sample(places, len(letters)), strict=True):
        cells[row][column] = letter
    rows = "\n".join(f"  #{''.join(row)}#" for row in cells)
    return f"puzzle: wide\nmodel: {model}\nboard: |\n  {'#' * 20}\n{rows}\n  {'#' * 20}\n"


def test_astar_agrees_with_exhaustive_search_in_wide_states() -> None:
    """In wide states, A* rejects most moves by a glance at a single word."""
    solved = 0
    for seed in range(3):
        rng = Random(seed)
        solved += check_agreement(wide_level(rng, "sokoban", "@$."), ("pushes", "moves"))
        text = wide_level(rng, "sliding-blocks", "AB", ".")
        goal = f"goal: {{A: {{at: [{rng.randint(1, 18)}, {rng.randint(1, 18)}]}}}}\n"
        solved += check_agreement(text + goal, ("steps",))
    assert solved >= 3


@pytest.mark.slow
def test_astar_agrees_with_exhaustive_search_on_two_hundred_small_levels() -> None:
    assert sum(check_agreement(level(seed), METRICS) for seed in range(40, 240)) >= 50


@pytest.mark.parametrize(
    ("model", "metrics"),
    [
        ("sokoban-double-push", ("pushes", "moves")),
        ("sokoban-pull", ("pulls", "moves")),
        ("sokoban-toll", ("effort", "pushes")),
    ],
)
def test_astar_agrees_where_moves_are_of_other_kinds(model: str, metrics: tuple[str, ...]) -> None:
    assert sum(check_agreement(level(seed, model), metrics) for seed in range(15)) >= 1


def test_a_metric_that_merges_moves_round_corners_is_refused() -> None:
    with pytest.raises(UsageError, match="merges moves around corners"):
        fewest.load("heng-dao-li-ma").solve("turns", engine="astar")


LINES = """
metrics:
  straight: {count: {push: 2, walk: 0}, merge: line}
  dear-walks: {count: {push: 3, walk: 1}, merge: line}
  long: [straight, pushes]
  short: [pushes, straight]
  pushes: {count: {push: 1, walk: 0}}
"""


def test_lines_with_other_weights_and_in_pairs() -> None:
    """Merged moves become operators, so each part of a pair needs its own cost for them."""
    texts = [level(seed).rstrip() + LINES for seed in range(30)]
    metrics = ("straight", "long", "short")
    assert sum(check_agreement(text, metrics) for text in texts) >= 8


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (
            "metrics: {m: {count: {push: 1, walk: 0}, merge: line}}\nforbid: count(box, target) == 1",
            "are forbidden",
        ),
        ("metrics: {m: {count: {push: 3, walk: 1}, merge: line}}", "walks merge"),
        (
            "metrics: {m: {count: {push: 1, walk: 0, push-two: 0}, merge: line}}",
            "moves other than walks are free",
        ),
    ],
)
def test_runs_that_cannot_be_moves_of_their_own_are_refused(more: str, reason: str) -> None:
    text = f"puzzle: hall\nmodel: sokoban-double-push\nboard: |\n  #######\n  #@$$-.#\n  #----.#\n  #######\n{more}"
    with pytest.raises(UsageError, match=reason):
        fewest.load("level.yaml", text=text).solve("m", engine="astar")


@pytest.mark.parametrize("engine", ["astar", "ida"])
def test_a_piece_that_no_move_can_move_blocks_for_ever(engine: str) -> None:
    """The crate on the target of a step cannot be moved by any reachable move; A* once ignored such a crate."""
    compiled = fewest.load(Path(__file__).with_name("a_stair.yaml"))
    assert (
        compiled.solve(**MANNERS[engine]).status
        == compiled.solve(engine="bfs").status
        == "unsolvable"
    )


@cache
def hall() -> fewest.CompiledPuzzle:
    """A level with three boxes and 1,156 places."""
    size = 34
    rows = [["#", *" " * size, "#"] for _ in range(size)]
    for row, column in ((10, 8), (20, 15), (30, 27)):
        rows[row][column], rows[row][column + 2] = "$", "."
    rows[4][4] = "@"
    wall = "#" * (size + 2)
    drawn = "\n".join(f"  {line}" for line in (wall, *map("".join, rows), wall))
    text = f"puzzle: hall\nmodel: sokoban\nboard: |\n{drawn}\n"
    return fewest.load("hall.yaml", text=text)


@pytest.mark.parametrize("engine", ["auto", "astar", "ida"])
def test_a_hall_of_many_places_is_walked_like_a_room(engine: str) -> None:
    """A* once failed if the boxes had more than 1,024 places. Exhaustive search is too slow for this hall."""
    found = hall().solve("pushes", **MANNERS[engine])
    assert (found.status, found.cost) == ("optimal", 6)


def test_a_checkpoint_does_not_take_an_unproved_plan_for_the_minimum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = fewest.load("forty-17")
    metric = compiled.puzzle.metrics[compiled.puzzle.default_metric]
    best = astar.solve(compiled.task, metric, Limits())
    assert best.status == "optimal" and best.cost == (42,) and best.plan is not None
    longer = Answer("limit", (50,), (39,), best.plan, "time", {})
    with monkeypatch.context() as patch:
        patch.setattr(astar, "_search", lambda *_: longer)
        astar.solve(compiled.task, metric, Limits(), checkpoint=tmp_path / "it")
    stopped = astar.solve(compiled.task, metric, Limits(0.0), checkpoint=tmp_path / "it")
    assert (stopped.status, stopped.cost, stopped.lower_bound) == ("limit", (50,), (39,))
    found = astar.solve(compiled.task, metric, Limits(), checkpoint=tmp_path / "it")
    assert (found.status, found.cost) == ("optimal", (42,))
    assert found.statistics["expanded"] > 0
    known = astar.solve(compiled.task, metric, Limits(), checkpoint=tmp_path / "it")
    assert (known.status, known.cost) == ("optimal", (42,)) and "expanded" not in known.statistics


@pytest.mark.parametrize("weight", [1, 300, 5_000, 60_000])
def test_expensive_moves_do_not_look_like_deadlocks(weight: int) -> None:
    text = f"""
puzzle: expensive-pushes
model: sokoban
metrics:
  effort: {{count: {{push: {weight}, walk: 1}}}}
board: |
  ###############
  #  ############
  # $ $ $ $ $ @ #
  # .....       #
  ###############
"""
    found = fewest.load("expensive.yaml", text=text).solve("effort", engine="astar")
    # The minimum of Microban 36 is 156 moves, or 59 pushes. Some plan has both.
    assert (found.status, found.cost) == ("optimal", 59 * weight + 97)


CORRIDOR = """
puzzle: corridor
model: sokoban
metrics: {pair: [pushes, moves], pair-of-walks: [moves, pushes]}
board: |
  #############
  #@        $.#
  #############
"""


@pytest.mark.parametrize("metric", ["pair", "pair-of-walks"])
def test_a_walk_in_a_pair_that_costs_too_much_is_refused(metric: str) -> None:
    """Eight steps cost 2^32, which does not fit into a part of a packed cost. One step would fit."""
    task = fewest.load("corridor.yaml", text=CORRIDOR).task
    costs = cost_table(task, metric_of(task, metric))
    dear = array("q", costs.weight)
    of_moves = 0 if metric == "pair-of-walks" else len(dear) // 2
    of_pushes = len(dear) // 2 - of_moves
    for op in range(len(dear) // 2):
        if not costs.weight[of_pushes + op]:
            dear[of_moves + op] = 1 << 29
    with pytest.raises(OverflowError, match="walk"):
        InformedProblem(task.problem, replace(costs, weight=dear), **pieces_of(task))


CRUSH = """
puzzle: crush
legend: {"#": wall, " ": floor, ".": target, "@": player, "$": box, "o": ball}
terrain: [target]
pieces: {player: {}, box: {}, ball: {}}
moves:
  walk: {before: [player, empty], after: [empty, player]}
  push: {before: [player, box, empty], after: [empty, player, box]}
  roll: {before: [player, ball, empty], after: [empty, player, ball]}
  crush: {before: [player, box, ball], after: [empty, player, box]}
goal: {every: target, holds: box}
metrics: {moves: {}, pushes: {count: {walk: 0}}}
board: |
  #########
  #   .   #
  # $ . $ #
  #   @   #
  #       #
  # o o   #
  #########
"""


@pytest.mark.parametrize("metric", ["moves", "pushes"])
def test_pieces_without_a_group_stop_the_search_for_deadlocks(metric: str) -> None:
    """Boxes on the lowest row are dead, so no box crushes a ball, but the balls have no group of constant size."""
    puzzle = fewest.load("crush.yaml", text=CRUSH)
    costs = cost_table(puzzle.task, metric_of(puzzle.task, metric))
    problem = InformedProblem(puzzle.task.problem, costs, **pieces_of(puzzle.task))
    found = InformedSearch(problem)
    found._arguments["hints"].look_from = 0
    assert found.advance(ALL, SearchLimits()) == "goal"
    assert found.outcome().cost == (puzzle.solve(metric, engine="bfs").cost,)
    assert found.outcome().facts["learned_deadlocks"] == 0


PIT = """
puzzle: pit
legend: {"#": wall, " ": floor, ".": target, "@": player, "$": box, "r": rock, "o": pit}
terrain: [target]
pieces: {player: {}, box: {}, rock: {}, pit: {}}
moves:
  walk: {before: [player, empty], after: [empty, player]}
  push: {before: [player, box, empty], after: [empty, player, box]}
  roll: {before: [player, rock, empty], after: [empty, player, rock]}
  drop: {before: [player, box, pit], after: [empty, player, pit]}
goal: {every: target, holds: box}
metrics: {pushes: {count: {walk: 0}}}
board: |
  ###########
  #    ######
  # .. ro####
  # $$ ######
  ##  #######
  #   #######
  # @ #######
  ###########
"""


@pytest.mark.parametrize("engine", ["auto", "astar"])
def test_moves_into_a_corral_of_pieces_without_a_group_are_found(engine: str) -> None:
    """No box reaches the pit, because the rock cannot move, but the boxes have no group of constant size."""
    assert fewest.load("pit.yaml", text=PIT).solve(engine=engine).cost == 2
