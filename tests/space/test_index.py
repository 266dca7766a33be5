"""The perfect index is a bijection, and a search in it agrees with a search in a table of states."""

from __future__ import annotations

from functools import cache
from math import comb, factorial
from pathlib import Path

import pytest
from hypothesis import assume, given, settings

import fewest
from fewest.analysis.invariants import possible_facts, proven_at_most_one
from fewest.analysis.parity import parities
from fewest.engines.index import search_index
from fewest.errors import UsageError
from fewest.machine.memory import memory_to_use, peak_memory
from fewest.machine.resources import puzzles as shipped_puzzles
from fewest.model.answer import Limits
from fewest.model.task import Task
from fewest.search import NATIVE, Progress
from fewest.space.index import StateIndex, state_index
from fewest.space.state_graph import build_state_graph
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.random_puzzles import puzzles

native = pytest.mark.skipif(not NATIVE, reason="the native core searches in an index")

# Puzzles with their numbers of consistent states, and the sources of these numbers.
KNOWN = [
    (
        "heng-dao-li-ma",
        65_880,
    ),  # all positions of the ten pieces: Spaans, Solving sliding-block puzzles, 2009
    ("eight-puzzle", factorial(9) // 2),
    ("tiles-torus", factorial(9)),  # the torus has odd cycles, so parity excludes nothing
    ("tiles-3x4", factorial(12) // 2),
    ("tiles-2x6", factorial(12) // 2),
    ("tiles-2x7", factorial(14) // 2),
    ("english", 2**29),  # there are 33 holes, and the four independent parities of Reiss's classes
    ("hanoi", 3**3),
    ("lights-out-3x3", 2**9),
]


def by_definition(task: Task) -> set[int]:
    """All consistent states, found by testing all sets of possible facts."""
    possible = possible_facts(task)
    groups = [(sum(1 << f for f in group.facts), group.count) for group in task.exactly]
    at_most_one = proven_at_most_one(task)
    cells = [sum(1 << f for f in cell) for cell in at_most_one]
    sums = parities(task, at_most_one, possible)
    found: set[int] = set()
    state = possible
    while True:
        if (
            all((state & mask).bit_count() == count for mask, count in groups)
            and all((state & mask).bit_count() <= 1 for mask in cells)
            and all(parity.of(state) == parity.value for parity in sums)
        ):
            found.add(state)
        if state == 0:
            return found
        state = state - 1 & possible


def check_bijection(index: StateIndex, stride: int = 1) -> None:
    for number in range(0, index.size, stride):
        assert index.rank(index.unrank(number)) == number


def check_reachable(task: Task, index: StateIndex) -> None:
    space = build_state_graph(task.problem)
    numbers = {index.rank(space.integer(state_id)) for state_id in range(len(space))}
    assert None not in numbers and len(numbers) == len(space)
    assert all(0 <= number < index.size for number in numbers if number is not None)


def check_random(text: str, num_facts: int) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    task = compiled.task
    index = state_index(task)
    check_reachable(task, index)
    check_bijection(index, 1 + index.size // 300)
    if possible_facts(task).bit_count() <= num_facts:
        states = by_definition(task)
        assert {index.unrank(number) for number in range(index.size)} == states, text


@settings(relaxed, max_examples=50)
@given(puzzles())
def test_numbers_and_consistent_states_are_a_bijection(text: str) -> None:
    check_random(text, 11)


@pytest.mark.slow
@settings(relaxed, max_examples=1500)
@given(puzzles())
def test_the_bijection_on_thousands_of_random_tasks(text: str) -> None:
    check_random(text, 16)


@pytest.mark.parametrize(("name", "size"), KNOWN)
def test_there_are_as_many_consistent_states_as_known(name: str, size: int) -> None:
    index = state_index(fewest.load(name).task)
    assert index.size == size
    check_bijection(index, 1 + size // 200)


@cache
def placements(free: int, shapes: tuple[tuple[int, int, int], ...], above: int = -1) -> int:
    """The number of placements of `(height, width, number)` rectangles on 4 × 5 cells; equal rectangles are
    interchangeable."""
    if not shapes:
        return 1
    height, width, number = shapes[0]
    total = 0
    for anchor in range(above + 1, 20):
        row, column = divmod(anchor, 4)
        if row + height > 5 or column + width > 4:
            continue
        cells = sum(1 << anchor + 4 * r + c for r in range(height) for c in range(width))
        if free & cells == cells:
            rest = ((height, width, number - 1), *shapes[1:]) if number > 1 else shapes[1:]
            total += placements(free & ~cells, rest, anchor if number > 1 else -1)
    return total


def test_the_codes_of_the_article_have_gaps_that_the_index_has_not() -> None:
    codes = 12 * 11 * comb(10, 4) * comb(6, 4)
    index = fewest.load("heng-dao-li-ma").index
    assert (codes, index.size) == (415_800, 65_880)
    assert placements((1 << 20) - 1, ((2, 2, 1), (1, 2, 1), (2, 1, 4), (1, 1, 4))) == 65_880
    check_reachable(index.task, index)


@pytest.mark.parametrize(
    "name", ["bird", "microban-001", "machinarium", "two-rings", "keys-and-doors"]
)
def test_every_reachable_state_of_shipped_puzzles_has_a_number_of_its_own(name: str) -> None:
    task = fewest.load(name).task
    index = state_index(task)
    check_reachable(task, index)
    check_bijection(index, 1 + index.size // 500)


def test_inconsistent_states_have_no_number() -> None:
    swapped = fewest.load("eight-puzzle-swapped").task
    index = state_index(swapped)
    assert index.rank(swapped.initial) is not None
    assert index.rank(swapped.goal[0][1]) is None  # the goal has the other parity
    assert index.rank(0) is None
    assert index.rank(swapped.initial | 1 << swapped.initial.bit_length()) is None
    for number in (-1, index.size):
        with pytest.raises(IndexError):
            index.unrank(number)


def answers(compiled: fewest.CompiledPuzzle, metric: str, **options: object) -> tuple[object, ...]:
    result = compiled.solve(metric, **options)  # type: ignore[arg-type]
    # In this case, the table generates fewer successors.
    has_runs = "runs" in result.statistics["algorithm"]
    generated = () if has_runs else ("generated",)
    numbers = ("states", "goal_states", *generated, "layers", "exhausted")
    return (result.status, result.cost, *(result.statistics[key] for key in numbers))


def check_store(compiled: fewest.CompiledPuzzle, metric: str) -> bool:
    """Compare the search in an index with the search in a table; `solve` validates the plans."""
    try:
        found = answers(compiled, metric, exhaust=True, store="index")
    except UsageError:
        return False
    assert found == answers(compiled, metric, exhaust=True)
    if compiled.task.has_goal:
        assert compiled.solve(metric, store="index").cost == found[1]
    return True


def check_exploration(compiled: fewest.CompiledPuzzle, metric: str) -> None:
    one = compiled.explore(metric, consistent=True).to_json()
    other = compiled.explore(metric, store="index").to_json()
    for key in ("optimal_plans", "optimal_plans_up_to_order", "unique", "seconds", "audit"):
        del one[key], other[key]
    assert one == other


@native
@settings(relaxed, max_examples=25)
@given(puzzles())
def test_the_search_in_an_index_agrees_with_the_table_on_random_puzzles(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    for metric in ("ones", "line", "path"):
        check_store(compiled, metric)
        check_exploration(compiled, metric)


@native
@pytest.mark.slow
@settings(relaxed, max_examples=1500)
@given(puzzles())
def test_the_search_in_an_index_on_thousands_of_random_puzzles(text: str) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    for metric in compiled.metrics:
        if check_store(compiled, metric):
            check_exploration(compiled, metric)


@native
@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("qi-bu-cheng-shi", "turns"),
        ("forty-02", "slides"),
        ("bird", "steps"),
        ("machinarium", "moves"),
        ("microban-001", "moves"),
        ("tiles-2x4", "moves"),
        ("tiles-2x3-swapped", "moves"),
        ("two-rings", "turns"),
        ("square-4x4", "jumps"),
        ("jugs", "moves"),
    ],
)
def test_a_shipped_puzzle_is_the_same_in_an_index(name: str, metric: str) -> None:
    compiled = fewest.load(name)
    assert check_store(compiled, metric)
    check_exploration(compiled, metric)


@native
@pytest.mark.slow
@pytest.mark.parametrize("family", sorted({family for family, _, _ in shipped_puzzles()}))
def test_all_shipped_puzzles_that_fit_are_the_same_in_an_index(family: str) -> None:
    for found, _, path in shipped_puzzles():
        if found != family:
            continue
        compiled = fewest.load(path)
        if any(expectation.slow for expectation in compiled.puzzle.expectations):
            continue
        for metric in compiled.metrics:
            if compiled.solve(metric, exhaust=True, memory=1 << 28).statistics["exhausted"]:
                check_store(compiled, metric)


@native
def test_a_search_in_an_index_takes_at_most_a_quarter_of_a_byte_a_state_and_the_diagram() -> None:
    compiled = fewest.load("tiles-2x5")
    metric = compiled.task.metrics["moves"]
    arguments = (compiled.task, metric, Limits())
    answer = search_index(*arguments, exhaust=True, plan=False, threads=1).answer
    index = compiled.index
    assert answer.statistics["states"] == index.size == factorial(10) // 2
    assert answer.statistics["bytes"] <= index.size / 4 + 24 * index.num_entries + 2**20
    assert answer.statistics["bytes"] <= index.num_bytes


@native
def test_a_small_search_in_a_large_space_touches_little_of_it() -> None:
    """Only 45 of 16 billion consistent positions are reachable, so few pages of the 4 GB for marks
    are used."""
    before = peak_memory()
    result = fewest.load("rolling-block").solve(store="index", memory=8 << 30)
    assert (result.cost, len(result.plan)) == (9, 9)
    assert peak_memory() - before < 1 << 30


@native
@pytest.mark.parametrize("depth", [0, 7])
def test_layers_up_to_a_depth_in_an_index_are_exact(depth: int) -> None:
    compiled = fewest.load("tiles-2x4")
    found, whole = compiled.explore(store="index", depth=depth), compiled.explore(consistent=False)
    assert found.is_to_depth and found.reason is None and not found.is_exhausted
    assert found.layers == whole.layers[: depth + 1] and found.goal_distances is None
    beyond = compiled.explore(store="index", depth=len(whole.layers))
    assert beyond.is_exhausted and not beyond.is_to_depth and beyond.layers == whole.layers
    with pytest.raises(UsageError, match="--depth needs a store on disk"):
        compiled.explore(store="hash", depth=depth)


@native
def test_an_index_that_was_saved_at_a_depth_is_resumed(tmp_path: Path) -> None:
    compiled, folder = fewest.load("tiles-2x4"), str(tmp_path / "saved")
    first = compiled.explore(store="index", depth=9, checkpoint=folder)
    assert (len(first.layers), first.is_to_depth) == (10, True)
    again = compiled.explore(store="index", depth=12, checkpoint=folder)
    assert len(again.layers) == 13 and again.layers[:10] == first.layers
    assert compiled.explore(store="index", depth=3, checkpoint=folder).layers == again.layers
    whole = compiled.explore(store="index", checkpoint=folder)
    assert whole.is_exhausted and whole.layers == compiled.explore().layers


@native
@pytest.mark.slow
def test_a_search_in_an_index_reports_its_progress() -> None:
    updates: list[Progress] = []
    index = fewest.load("tiles-2x6").index
    task = index.task
    arguments = (task, task.metrics["moves"], Limits(), updates.append)
    answer = search_index(*arguments, exhaust=True, plan=False, goal_distances=True).answer
    assert answer.statistics["states"] == index.size
    assert updates and {progress.most_states for progress in updates} == {index.size}
    states = [progress.num_states for progress in updates]
    # the number of states falls when the computation of the distances begins
    back = next(i for i in range(1, len(states)) if states[i] < states[i - 1])
    assert states[:back] == sorted(states[:back]) and states[back:] == sorted(states[back:])
    assert max(states) <= index.size < 2 * states[back - 1] and index.size < 2 * states[-1]


# The positions of 2x7 at distance n from a position with the gap in a corner: OEIS A346736 (Korf 2008; Rokicki 2011).
TILES_2X7 = [
    *(1, 2, 3, 6, 11, 20, 37, 67, 117, 198, 329, 557, 942, 1_575, 2_597, 4_241, 6_724, 10_535, 16_396),
    *(25_515, 39_362, 60_532, 92_089, 138_969, 207_274, 307_725, 453_000, 664_240, 964_874, 1_392_975),
    *(1_992_353, 2_832_063, 3_988_528, 5_586_275, 7_756_511, 10_698_721, 14_621_717, 19_840_724),
]  # fmt: skip


@native
@pytest.mark.slow
@pytest.mark.skipif(memory_to_use() < 12 << 30, reason="two bits a position are 11 GB")
def test_the_first_layers_of_43_billion_positions_are_those_that_are_published() -> None:
    found = fewest.load("tiles-2x7").explore(store="index", depth=len(TILES_2X7) - 1)
    assert found.is_to_depth and found.num_consistent == factorial(14) // 2
    assert [count for _, count in found.layers] == TILES_2X7


@native
def test_a_search_that_a_limit_stops_does_not_count_its_moves_afterwards() -> None:
    found = fewest.load("tiles-3x4").solve(engine="bfs", store="index", exhaust=True, seconds=0.2)
    assert found.status == "limit"
    assert found.statistics["expanded"] > 0
    assert "generated" not in found.statistics


@native
def test_limits_in_an_index_are_answers_with_a_lower_bound() -> None:
    result = fewest.load("tiles-2x5").solve(store="index", seconds=0.05)
    if result.status == "limit":
        assert result.reason == "time" and isinstance(result.lower_bound, int)
        assert 0 < result.lower_bound <= 55
    else:
        assert result.cost == 55


@native
def test_a_request_that_an_index_does_not_support_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="do not all cost the same"):
        fewest.load("microban-001").solve("pushes", store="index")
    with pytest.raises(UsageError, match="do not all cost the same"):
        fewest.load("microban-001").explore("pushes-then-moves", store="index")
    with pytest.raises(UsageError, match="exceeds the memory limit of 100,000"):
        fewest.load("tiles-2x5").solve(store="index", memory=100_000)
    with pytest.raises(UsageError, match="`tape` is not a valid value of --store"):
        fewest.load("jugs").solve(store="tape")
    with pytest.raises(UsageError, match="`tape` is not a valid value of --store"):
        fewest.load("jugs").explore(store="tape")
