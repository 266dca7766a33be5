"""The default engine begins one search: it goes on, or gives way once to something faster."""

from typing import Any

import pytest

import fewest
from fewest import search
from fewest.engines import astar, auto, bidirectional, in_turns
from fewest.model.answer import Answer
from fewest.store import spare

pytestmark = pytest.mark.skipif(not search.NATIVE, reason="sizes are those of the native core")


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The options of every search that the breadth-first core is asked for, of more than no time."""
    asked: list[dict[str, Any]] = []
    core = spare.search

    def recorded(*arguments: Any, **options: Any) -> Any:
        if options["seconds"] > 0:
            asked.append(options)
        return core(*arguments, **options)

    monkeypatch.setattr(spare, "search", recorded)
    return asked


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[astar.Hints]:
    """What A* was told of tasks, found anew each time."""
    found: list[astar.Hints] = []
    look = astar.hints

    def recorded(*arguments: Any) -> astar.Hints:
        found.append(look(*arguments))
        return found[-1]

    monkeypatch.setattr(astar, "hints", recorded)
    return found


@pytest.mark.parametrize(
    ("name", "metric", "cost"),
    [
        ("heng-dao-li-ma", "turns", 81),  # short
        ("the-greatest-escape-2", "steps", 188),  # long, with bounds that do not pay
        ("the-greatest-escape-2", "turns", 107),  # long, in a metric that has no bounds
    ],
)
def test_a_search_that_goes_on_is_never_begun_again(
    name: str, metric: str, cost: int, searches: list[dict[str, Any]]
) -> None:
    result = fewest.load(name).solve(metric)
    assert (result.status, result.cost, result.engine) == ("optimal", cost, "bfs")
    assert len(searches) == 1


def test_a_long_search_gives_way_to_symmetry(searches: list[dict[str, Any]]) -> None:
    result = fewest.load("impassable-gate").solve("turns")
    assert (result.status, result.cost, result.engine) == ("optimal", 32, "bfs")
    assert result.statistics["symmetry"]["order"] > 1
    assert ["symmetry" in options for options in searches] == [False, True]


def test_a_long_search_gives_way_to_one_from_both_ends_where_goals_are_few(
    searches: list[dict[str, Any]],
) -> None:
    result = fewest.load("the-time-machine").solve("turns")
    assert (result.status, result.cost, result.engine) == ("optimal", 39, "bidirectional")
    assert len(searches) == 1


def test_a_search_from_both_ends_forgets_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped_at_once = Answer("limit", None, (0,), None, "time")
    monkeypatch.setattr(bidirectional, "solve", lambda *_: stopped_at_once)
    result = fewest.load("the-time-machine").solve("turns")
    assert (result.status, result.engine) == ("limit", "bidirectional")
    assert isinstance(result.lower_bound, int) and 15 < result.lower_bound <= 39


def test_a_long_search_gives_way_to_bounds_that_pay(
    searches: list[dict[str, Any]], prepared: list[astar.Hints]
) -> None:
    result = fewest.load("fifteen-30").solve()
    assert (result.status, result.cost, result.engine) == ("optimal", 30, "astar")
    assert len(searches) == len(prepared) == 1


@pytest.fixture
def thoughts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many states there were whenever all was thought of; who gave way then threw these away."""
    states: list[int] = []
    think = auto._Thoughts.late

    def recorded(self: auto._Thoughts, known: search.Progress) -> None:
        states.append(known.num_states)
        think(self, known)

    monkeypatch.setattr(auto._Thoughts, "late", recorded)
    return states


@pytest.mark.parametrize(
    ("name", "metric", "engine"),
    [
        ("fifteen-20", "moves", "astar"),
        ("fifteen-30", "moves", "astar"),
        ("the-time-machine", "steps", "bidirectional"),
        ("the-time-machine", "turns", "bidirectional"),
    ],
)
def test_what_will_give_way_does_so_after_a_quarter_of_what_is_long(
    name: str,
    metric: str,
    engine: str,
    searches: list[dict[str, Any]],
    thoughts: list[int],
) -> None:
    assert fewest.load(name).solve(metric).engine == engine
    assert len(searches) == len(thoughts) == 1
    assert 100_000 < thoughts[0] < 250_000


def test_what_is_undecided_by_then_is_long_before_it_gives_way(thoughts: list[int]) -> None:
    result = fewest.load("tiles-2x5").solve()  # the bound is 25: 27 by then, 36 when it is long
    assert (result.cost, result.engine) == (55, "astar")
    assert len(thoughts) == 1 and 1_000_000 < thoughts[0] < 1_300_000


@pytest.mark.parametrize("name", ["eight-puzzle", "trapped-treasure"])  # few goals, and many
def test_bounds_are_not_asked_for_where_a_search_is_short_or_goals_are_many(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auto._Bounds, "initial", property(lambda _: pytest.fail("asked for")))
    assert fewest.load(name).solve().engine == "bfs"


def test_a_short_search_is_told_nothing(prepared: list[astar.Hints]) -> None:
    result = fewest.load("microban.xsb:8").solve()
    assert (result.status, result.cost, result.engine) == ("optimal", 32, "astar")
    assert not prepared


def test_a_long_search_is_told_once_what_spares_it_states(
    prepared: list[astar.Hints], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_turns, "FIRST", 60.0)  # on busy machines, too
    result = fewest.load("microban.xsb:144").solve()
    assert (result.status, result.cost, result.engine) == ("optimal", 36, "bidirectional-astar")
    assert len(prepared) == 1 and prepared[0].dead


def test_where_the_memory_ends_bounds_go_on(prepared: list[astar.Hints]) -> None:
    result = fewest.load("fifteen-30").solve(memory=8 << 20)
    assert (result.status, result.cost, result.engine) == ("optimal", 30, "astar")
    assert len(prepared) == 1


def test_what_the_first_search_proved_is_not_forgotten() -> None:
    stopped = fewest.load("korf-001").solve(seconds=2)
    assert isinstance(stopped.lower_bound, int) and 10 < stopped.lower_bound <= 57
    assert stopped.status == "optimal" or (stopped.status, stopped.reason) == ("limit", "time")
