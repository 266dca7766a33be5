"""The portfolio runs the right stages, and no stage changes a minimum or loses a bound."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import pytest

import fewest
from fewest import search
from fewest.deadlocks.dead_cubes import forbidding
from fewest.engines import auto, bidirectional, conditions, portfolio, stage_searches
from fewest.engines.bfs import solve as by_layers
from fewest.engines.conditions import CONDITIONS
from fewest.engines.portfolio import SOON, Stage
from fewest.engines.stage_searches import AStar
from fewest.errors import UsageError
from fewest.model.answer import Limits
from fewest.model.task import Task
from fewest.search import informed
from fewest.search.interface import Budget
from fewest.store import spill
from tests.helpers.shipped import shipped
from tests.helpers.small_levels import compiled_level, level
from tests.helpers.stages import sooner

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="sizes are those of the native core")

TABLES = {
    name: getattr(portfolio, name)
    for name in ("BY_LAYERS", "ALONE", "AMONG_PIECES", "DEFAULT", "AFTER_MEMORY")
}


def stages_of(result: fewest.Result) -> list[tuple[str, str]]:
    """The stages that ran, and the result of each."""
    reported = result.statistics["stages"]
    return [(one["stage"], one["result"]) for one in reported if one["stage"] != "deciding"]


@pytest.mark.parametrize("name", TABLES)
def test_every_condition_of_a_table_exists(name: str) -> None:
    for stage in TABLES[name]:
        assert set(stage.when) <= set(CONDITIONS), stage
        assert stage.search not in stage.replaces, stage


def test_every_condition_is_used() -> None:
    used = {name for table in TABLES.values() for stage in table for name in stage.when}
    assert used == set(CONDITIONS)


def test_stages_of_one_search_are_considered_in_the_order_of_their_budgets() -> None:
    sizes = [s.after.bytes for s in portfolio.DEFAULT if s.after.bytes is not None]
    assert all(one <= other for one, other in pairwise(sizes))


@pytest.mark.parametrize(
    ("name", "metric", "cost"),
    [
        ("heng-dao-li-ma", "turns", 81),  # a short search
        (
            "the-greatest-escape-2",
            "steps",
            188,
        ),  # a long search whose heuristic costs more than it saves
        ("the-greatest-escape-2", "turns", 107),  # a long search in a metric without a heuristic
    ],
)
def test_a_search_that_nothing_replaces_runs_alone(name: str, metric: str, cost: int) -> None:
    result = fewest.load(name).solve(metric)
    assert (result.status, result.cost, result.engine) == ("optimal", cost, "bfs")
    assert [one for one in stages_of(result) if one[0] != "refutation"] == [("layers", "answered")]


def test_a_long_search_is_replaced_by_one_by_symmetry() -> None:
    result = fewest.load("impassable-gate").solve("turns")
    assert (result.status, result.cost, result.engine) == ("optimal", 32, "bfs")
    assert result.statistics["symmetry"]["order"] > 1
    assert stages_of(result) == [("layers", "thrown away"), ("layers by symmetry", "answered")]


def test_a_long_search_is_replaced_by_one_from_both_ends_where_goals_are_few() -> None:
    result = fewest.load("the-time-machine").solve("turns")
    assert (result.status, result.engine) == ("optimal", "bidirectional")
    assert stages_of(result) == [("layers", "thrown away"), ("bidirectional", "answered")]
    thrown = result.statistics["stages"][0]
    assert 100_000 < thrown["states"] < 250_000  # the portfolio decides early in a long search


@pytest.mark.parametrize("name", ["fifteen-20", "eight-puzzle", "tiles-2x6", "loopover"])
def test_astar_replaces_layers_soon_where_bounds_pay_and_goals_are_few(name: str) -> None:
    result = fewest.load(name).solve()
    assert (result.status, result.engine) == ("optimal", "astar")
    assert stages_of(result) == [("layers", "thrown away"), ("astar", "answered")]
    assert result.statistics["stages"][0]["expanded"] < 30_000


def test_the_search_from_both_ends_begins_alongside_astar_if_its_bound_is_near_that_of_the_layers() -> (
    None
):
    result = fewest.load("the-time-machine").solve("steps")
    assert (result.status, result.cost, result.engine) == ("optimal", 91, "bidirectional")
    ended = [("layers", "thrown away"), ("astar", "thrown away"), ("bidirectional", "answered")]
    assert stages_of(result) == ended


def test_the_search_that_has_used_the_least_has_the_next_turn() -> None:
    turns: list[tuple[str, float]] = []
    with pytest.MonkeyPatch.context() as patch:
        turn = portfolio._Run._turn

        def noted(run: Any, one: Any, budget: Budget) -> Any:
            least = min(other.search.spent for other in run.running)
            turns.append((one.name, one.search.spent - least))
            return turn(run, one, budget)

        patch.setattr(portfolio._Run, "_turn", noted)
        fewest.load("microban.xsb:36").solve("moves")
    assert {name for name, _ in turns} == {"astar", "bidirectional"}
    assert all(more == 0 for _, more in turns)


@pytest.mark.parametrize("name", ["tiles-2x3", "jugs"])
def test_astar_is_not_made_for_a_search_that_is_short(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conditions.PortfolioState, "astar", property(lambda _: pytest.fail("made")))
    found = fewest.load(name).solve()
    assert (found.status, found.engine) == ("optimal", "bfs")


def test_a_short_level_is_solved_without_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "fewest.engines.hints.hints", lambda *_: pytest.fail("hints are not needed")
    )
    result = fewest.load("microban.xsb:8").solve()
    assert (result.status, result.cost, result.engine) == ("optimal", 32, "astar")
    assert stages_of(result) == [("astar", "answered")]


def test_a_long_level_is_given_hints_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from fewest.engines import hints

    found: list[hints.Hints] = []
    look = hints.hints
    monkeypatch.setattr(hints, "hints", lambda *inputs: found.append(look(*inputs)) or found[-1])
    result = fewest.load("microban.xsb:122").solve()
    assert (result.status, result.cost, result.engine) == ("optimal", 90, "astar")
    assert "local_pdbs" in result.statistics
    assert len(found) == 1 and found[0].dead


# Tables whose second search begins after one expansion; their value `turn` limits the slices of that search.
SIDE_BY_SIDE = [
    ("layers", "astar"),
    ("astar", "bidirectional"),
    ("astar", "layers by symmetry"),
    ("bidirectional", "layers by symmetry"),
]


@cache
def known(name: str, metric: str) -> tuple[str, Any]:
    """The status and the minimum that breadth-first search finds."""
    found = shipped(name).solve(metric, engine="bfs")
    return found.status, found.cost


@pytest.mark.parametrize(("first", "second"), SIDE_BY_SIDE)
@pytest.mark.parametrize("turn", [1.0, 300.0])
def test_searches_side_by_side_prove_the_same_minimum(
    first: Any, second: Any, turn: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    condition = {
        "astar": ("has bounds",),
        "bidirectional": ("goals can be listed",),
        "layers by symmetry": ("there is a symmetry",),
    }
    table = (
        Stage(first, when=condition.get(first, ())),
        Stage(second, Budget(expansions=1), condition[second], beside=(first,)),
    )
    monkeypatch.setattr(portfolio, "TURN", turn)
    for name in ("AMONG_PIECES", "DEFAULT"):
        monkeypatch.setattr(portfolio, name, table)
    puzzles = [("eight-puzzle", "moves"), ("microban-001", "moves"), ("tiles-2x4", "moves")]
    together = 0
    for name, metric in puzzles:
        found = shipped(name).solve(metric)
        assert (found.status, found.cost) == known(name, metric), name
        together += len(stages_of(found)) == 2
    unsolvable = fewest.load("tiles-2x3-swapped").solve()
    assert unsolvable.status == "unsolvable"
    assert together >= 1


@cache
def without_dead(seed: int, wherever_agent: bool) -> Task:
    """The task of a small level, in which dead states are forbidden."""
    return forbidding(compiled_level(level(seed)).task, 3, wherever_agent=wherever_agent)


@pytest.mark.parametrize("metric", ["moves", "pushes", "lines", "pushes-then-moves"])
def test_no_plan_has_a_dead_state(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Avoiding dead states does not change a minimum: in forward search, in bidirectional search, and in the whole
    portfolio."""
    monkeypatch.setattr(portfolio, "AMONG_PIECES", sooner(portfolio.AMONG_PIECES))
    fewer = 0
    for seed in range(30):
        task = compiled_level(level(seed)).task
        cost = task.metrics[metric]
        plain = by_layers(task, cost, Limits())
        for wherever in (False, True):
            spared = by_layers(without_dead(seed, wherever), cost, Limits())
            assert (spared.status, spared.cost) == (plain.status, plain.cost), seed
            fewer += spared.statistics["states"] < plain.statistics["states"]
        both = bidirectional.solve(task, cost, Limits())
        assert (both.status, both.cost) == (plain.status, plain.cost), seed
        assert auto.solve(task, cost, Limits()).cost == plain.cost
    assert fewer > 10


def test_the_faster_of_two_searches_of_a_level_answers() -> None:
    result = fewest.load("microban.xsb:99").solve("moves")
    assert (result.status, result.cost) == ("optimal", 349)
    ended = dict(stages_of(result))
    assert set(ended) == {"astar", "bidirectional"}
    assert sorted(ended.values()) == ["answered", "thrown away"]
    spent = [one["cpu_seconds"] for one in result.statistics["stages"] if "expanded" in one]
    assert max(spent) < 4 * min(spent) + 0.1, spent


def test_too_many_goals_leave_astar_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        stage_searches.BidirectionalStage.__init__, "__kwdefaults__", {"most": 3, "file": ""}
    )
    result = fewest.load("microban.xsb:36").solve("moves")
    assert (result.status, result.cost, result.engine) == ("optimal", 156, "astar")
    assert stages_of(result) == [("astar", "answered")]


def test_the_better_bound_of_two_searches_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage_searches.BidirectionalStage, "bound", property(lambda _: (300,)))

    def stop(now: object) -> None:
        if getattr(now, "cost", 0) == 300:
            raise KeyboardInterrupt

    result = fewest.load("microban.xsb:93").solve("moves", seconds=60.0, progress=stop)
    assert (result.status, result.reason, result.lower_bound) == ("limit", "interrupted", 300)


def test_a_bound_of_a_search_that_was_thrown_away_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stage_searches.BidirectionalStage, "advance", lambda *_: "time")
    result = fewest.load("the-time-machine").solve("turns")
    assert (result.status, result.engine) == ("limit", "bidirectional")
    assert isinstance(result.lower_bound, int) and 15 < result.lower_bound <= 39


@pytest.mark.parametrize("where", ["has_few_goals", "by_symmetry"])
def test_ctrl_c_during_the_choice_of_a_stage_returns_the_proved_bound(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(conditions.PortfolioState, where, property(interrupted))
    result = fewest.load("impassable-gate").solve("turns")
    assert (result.status, result.reason) == ("limit", "interrupted")
    assert isinstance(result.lower_bound, int) and 5 < result.lower_bound <= 32


def test_ctrl_c_ends_both_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    def interrupt(_: object) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt

    result = fewest.load("microban.xsb:93").solve("moves", progress=interrupt)
    assert (result.status, result.reason) == ("limit", "interrupted")
    assert isinstance(result.lower_bound, int) and result.lower_bound > 20


def test_where_the_memory_ends_layers_astar_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "DEFAULT", portfolio.ALONE)
    result = fewest.load("fifteen-30").solve(memory=8 << 20)
    assert (result.status, result.cost, result.engine) == ("optimal", 30, "astar")
    assert stages_of(result) == [("layers", "out of memory"), ("astar", "answered")]


def test_two_searches_share_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "ROOMY", 0)
    memory = 16 << 20  # bidirectional A* needs 50 MB for this level, A* 15 MB
    result = fewest.load("microban.xsb:99").solve("moves", memory=memory)
    assert (result.status, result.cost, result.engine) == ("optimal", 349, "astar")
    ended = dict(stages_of(result))
    assert ended["bidirectional"] in ("thrown away", "out of memory"), ended
    reported = {one["stage"]: one for one in result.statistics["stages"]}
    assert reported["bidirectional"]["bytes"] <= memory


def test_the_bound_of_the_first_search_remains() -> None:
    stopped = fewest.load("korf-001").solve(seconds=0.8)
    assert isinstance(stopped.lower_bound, int) and 10 < stopped.lower_bound <= 57
    assert stopped.status == "optimal" or (stopped.status, stopped.reason) == ("limit", "time")


def test_a_parity_ends_a_search_that_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    table = tuple(
        stage for stage in sooner(portfolio.DEFAULT) if stage.search in ("layers", "refutation")
    )
    monkeypatch.setattr(portfolio, "DEFAULT", table)
    result = fewest.load("tiles-2x3-swapped").solve()
    assert (result.status, result.engine) == ("unsolvable", "auto")
    assert "argument" in result.statistics
    assert ("refutation", "answered") in stages_of(result)


@pytest.mark.parametrize("entries", [100, spill.LONG])
def test_a_search_that_has_ended_keeps_no_memory(
    entries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[spill.GrowingSearch] = []

    class Recorded(spill.GrowingSearch):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            made.append(self)

    monkeypatch.setattr(spill, "GrowingSearch", Recorded)
    monkeypatch.setattr(spill, "LONG", entries)
    compiled = fewest.load("tiles-2x4")
    for seconds in (None, 0.01):
        compiled.explore(seconds=seconds)
        compiled.solve(engine="bfs", seconds=seconds)
    assert len(made) == 4
    assert not any(one.table.is_open or one._over or one._driver for one in made)


@pytest.mark.parametrize(
    ("name", "metric", "cost"), [("microban.xsb:8", "pushes", 32), ("eight-puzzle", None, 31)]
)
def test_a_task_that_astar_does_not_support_is_searched_in_layers(
    name: str, metric: str | None, cost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(*_: object) -> None:
        raise ValueError("there are too many facts for an informed search")

    monkeypatch.setattr(informed.InformedSearch, "_made", made)
    puzzle = fewest.load(name)
    result = puzzle.solve(metric)
    assert (result.status, result.cost) == ("optimal", cost)
    assert "astar" not in {stage for stage, _ in stages_of(result)}
    with pytest.raises(UsageError, match="too many facts"):
        puzzle.solve(metric, engine="astar")


class _RefusesLate(AStar):
    """A* that refuses the task after its first expansion, as it does if a cost is too large."""

    def advance(self, budget: Budget, report: Any) -> Any:
        if self.num_expanded > 0:
            raise UsageError("a cost is too large for this search")
        return super().advance(budget, report)


@pytest.mark.parametrize(("name", "cost"), [("microban.xsb:8", 32), ("eight-puzzle", 31)])
def test_layers_follow_where_astar_refuses_late(
    name: str, cost: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conditions, "AStar", _RefusesLate)
    result = fewest.load(name).solve()
    assert (result.status, result.cost) == ("optimal", cost)
    assert ("astar", "refused") in stages_of(result)
    assert stages_of(result)[-1][1] == "answered"


def test_layers_that_memory_ended_have_a_bound_if_astar_refuses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(portfolio, "DEFAULT", portfolio.ALONE)
    monkeypatch.setattr(conditions, "AStar", _RefusesLate)
    result = fewest.load("fifteen-30").solve(memory=8 << 20)
    assert (result.status, result.reason, result.engine) == ("limit", "memory", "bfs")
    assert isinstance(result.lower_bound, int) and result.lower_bound > 10
    assert stages_of(result) == [("layers", "out of memory"), ("astar", "refused")]


def test_another_search_follows_where_the_abstractions_or_both_ends_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise UsageError("states are too wide")

    table = (Stage("layers"), Stage("abstraction", SOON, replaces=("layers",)))
    monkeypatch.setattr(portfolio, "DEFAULT", table)
    monkeypatch.setattr("fewest.engines.abstraction_heuristic.solve", refuse)
    result = fewest.load("eight-puzzle").solve()
    assert (result.status, result.cost, result.engine) == ("optimal", 31, "bfs")
    refused = [("layers", "thrown away"), ("abstraction", "refused"), ("layers", "answered")]
    assert stages_of(result) == refused

    def overflow(*_: object, **__: object) -> None:
        raise OverflowError("too many run keys")

    table = (
        Stage("layers"),
        Stage("bidirectional", SOON, ("both ends pay",), replaces=("layers",)),
    )
    monkeypatch.setattr(portfolio, "DEFAULT", table)
    monkeypatch.setattr("fewest.search.bidirectional.make_bidirectional", overflow)
    result = fewest.load("eight-puzzle").solve()
    assert (result.status, result.cost) == ("optimal", 31)
    assert stages_of(result) == [("layers", "answered")]
    with pytest.raises(UsageError, match="too many run keys"):
        fewest.load("eight-puzzle").solve(engine="bidirectional")


DEAR_PAIR = """
puzzle: dear-pair
model: sokoban
board: |
  ##########
  #@     $.#
  #        #
  ##########
metrics:
  dear: {count: {walk: 1000000}}
  pair: [dear, moves]
"""


def test_costs_that_astar_cannot_store_do_not_end_the_portfolio() -> None:
    """A* stores 15 bits of the first part of a pair, so the search in layers must take its place."""
    found = fewest.load("dear.yaml", text=DEAR_PAIR).solve("pair")
    assert (found.status, found.cost, found.engine) == ("optimal", (5_000_001, 6), "bfs")
    assert stages_of(found) == [("layers", "answered")]


def test_astar_that_is_refused_after_memory_ends_keeps_the_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stages = (Stage("layers"),)
    monkeypatch.setattr(portfolio, "AMONG_PIECES", stages)
    monkeypatch.setattr(stage_searches.LayeredSearch, "advance", lambda *_: "memory")
    found = fewest.load("dear.yaml", text=DEAR_PAIR).solve("pair")
    assert found.status == "limit" and found.cost is None
    assert stages_of(found) == [("layers", "out of memory")]
