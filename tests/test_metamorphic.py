"""Changes of shipped puzzles preserve the minimum in every metric and the number of positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import cache
from random import Random

import pytest

import fewest
from fewest.commands.api import CompiledPuzzle
from fewest.errors import DocumentError
from fewest.machine.resources import puzzles
from fewest.model.puzzle import Puzzle
from fewest.playing.exhaust import exhaust
from fewest.reading.loader import load_document
from tests.helpers.matrix.agenda import Agenda
from tests.helpers.matrix.compare import Played
from tests.helpers.matrix.constructs import matrix
from tests.helpers.matrix.documents import draw
from tests.helpers.matrix.refused import refused_pairs
from tests.helpers.matrix.tags import pairs_of
from tests.helpers.metamorphic.changes import CHANGES, Answers, answers
from tests.helpers.metamorphic.document import NotApplicableError, compiled_from, data_of
from tests.helpers.metamorphic.rotations import TURNS

DRAWN = 25  # random puzzles
LEAST_APPLIED = 2  # random puzzles that each change applies to
MOST_DRAWN = 150  # positions of a random puzzle
MOST = 20_000  # positions of a puzzle in the fast tests
PER_MODEL = 1  # puzzles for each model in the fast tests
LONGEST = 60  # seconds for the count of positions in the slow tests
SMALL = {
    "bridge", "double-push", "hanoi", "knights-feast", "microban-001", "odd-crates", "pull-out",
    "sticky-blocks", "wildfire",
}  # fmt: skip
"""These puzzles have few positions, but their documents do not give the number; the fast tests include them."""
LONG_TO_COMPILE = {"falling-snake", "muddled-monsters", "the-vine"}
SELDOM = [
    "dog-and-cat", "doors-and-buttons", "eight-in-one", "jelly-pair", "marching-orders",
    "mirror-twins", "night-patrol", "sticky-blocks", "tilt-maze",
]  # fmt: skip
"""Compiling these puzzles takes most of the time. The fast tests apply only one pair of changes to each; together the
pairs are all applied to some of them."""
TOO_LARGE = {"english", "tiles-2x5"}  # their searches need too much memory or time

APPLIES_TO = {
    "words renamed": 50,
    "letters renamed": 44,
    "reordered": 50,
    "walled-off cells to the right": 39,
    "walled-off cells below": 38,
    "columns reversed": 36,
    "rows reversed": 43,
    "rows and columns exchanged": 42,
    "a quarter turn": 41,
    "a half turn": 35,
}
"""The minimum number of puzzles in the fast tests to which each change applies, so that no change goes untested."""


def _sizes() -> Iterator[tuple[str, str, int | None]]:
    """Each puzzle with its model and its number of positions; None if the document does not give the number."""
    for _, name, path in puzzles():
        # Only the document is read, because every start of pytest calls this function.
        document = load_document(path).document
        expected = document.expect or {}
        if name in TOO_LARGE or any(getattr(known, "slow", False) for known in expected.values()):
            continue
        reachable = expected.get("reachable")
        reachable = getattr(reachable, "value", reachable)
        yield name, document.model or name, reachable if isinstance(reachable, int) else None


@cache
def _fast() -> list[str]:
    """For each model, the puzzle with the fewest positions."""
    sizes = [(0 if name in SMALL else n, name, model) for name, model, n in SIZES]
    known = sorted((n, name, model) for n, name, model in sizes if n is not None and n <= MOST)
    number: Counter[str] = Counter()
    out = []
    for _, name, model in known:
        if name in LONG_TO_COMPILE:
            continue
        number[model] += 1
        if number[model] <= PER_MODEL:
            out.append(name)
    return out


SIZES = list(_sizes())


@cache
def compiled(name: str) -> CompiledPuzzle:
    return fewest.load(name)


@cache
def known_answers(name: str) -> Answers:
    return answers(compiled(name), LONGEST)


def check(changes: Sequence[str], name: str) -> list[str]:
    """Apply the applicable changes one after another. Raises AssertionError if an answer changes."""
    changed, applied = compiled(name), []
    if changed.puzzle.goal is None:
        return []
    for change in changes:
        try:
            changed = compiled_from(CHANGES[change](changed))
        except NotApplicableError:
            continue
        applied.append(change)
    if applied:
        expected, found = known_answers(name), answers(changed, LONGEST)
        common = expected.keys() & found.keys()
        assert common >= compiled(name).puzzle.metrics.keys()
        assert {k: found[k] for k in common} == {k: expected[k] for k in common}, (applied, name)
    return applied


OTHERS = [name for name in CHANGES if name not in TURNS]
TWO = [*zip(OTHERS, TURNS, strict=True)]


# Each puzzle is compiled only once for two changes: a symmetry of the square, and another change.
@pytest.mark.parametrize("changes", TWO)
def test_two_changes_without_meaning_keep_the_minimum_and_the_number_of_positions(
    changes: tuple[str, str],
) -> None:
    seldom = SELDOM[TWO.index(changes) :: len(TWO)]
    names = [name for name in _fast() if name not in SELDOM or name in seldom]
    assert {*seldom} <= {*names}
    applied = Counter(change for name in names for change in check(changes, name))
    assert all(applied[change] >= APPLIES_TO[change] for change in changes), applied


def random_puzzles(number: int, first: int = 0) -> Iterator[CompiledPuzzle]:
    """Random puzzles of the matrix. The tests compare their rules, so nothing is compiled."""
    refused = refused_pairs()
    agenda = Agenda(matrix(refused), refused)
    for seed in range(first, first + number):
        document = draw(Random(f"changes {seed}"), agenda)
        agenda.drawn(pairs_of(document))
        with suppress(DocumentError):
            yield compiled_from(document)


def minima(puzzle: Puzzle) -> dict[str, object] | None:
    """The minimum in each metric and the numbers of positions and goal positions, by the rules; None if there are more
    than MOST_DRAWN positions, or if an expression has no value in some position.
    """
    try:
        played = Played(puzzle, MOST_DRAWN)
    except DocumentError:
        return None
    if not played.is_complete:
        return None
    found: dict[str, object] = {"positions": len(played.moves)}
    for name, metric in puzzle.metrics.items():
        reach = exhaust(puzzle, metric, 10_000, played.moves)
        found |= {name: reach.minimum, "goals": reach.num_goal_states}
    return found


def compare_changes(
    number: int, first: int = 0, changes: Collection[str] = tuple(CHANGES)
) -> Counter[str]:
    """Apply the changes to random puzzles. Raises AssertionError if an answer changes."""
    applied: Counter[str] = Counter()
    for drawn in random_puzzles(number, first):
        known = minima(drawn.puzzle)
        if known is None:
            continue
        for name in changes:
            change = CHANGES[name]
            with suppress(NotApplicableError):
                other = compiled_from(change(drawn))
                assert minima(other.puzzle) == known, (name, data_of(drawn))
                applied[name] += 1
    return applied


def test_changes_without_meaning_keep_the_answers_of_random_puzzles() -> None:
    applied: Counter[str] = Counter()
    rare = [*CHANGES]
    for first in range(0, 5 * DRAWN, DRAWN):  # few random boards can be turned
        applied += compare_changes(DRAWN, first, rare)
        rare = [change for change in rare if applied[change] < LEAST_APPLIED]
        if not rare:
            break
    assert not rare, applied


def compare_distinct_pieces(number: int) -> int:
    """Make all pieces of random puzzles distinct, and return the number of puzzles with other classes. Raises
    AssertionError if a minimum changes. The numbers of positions may change.
    """
    compared = 0
    for drawn in random_puzzles(number):
        data = data_of(drawn)
        data["pieces"] = {
            kind: {**(spec or {}), "interchangeable": False}
            for kind, spec in data["pieces"].items()
        }
        with suppress(DocumentError):  # a rule that creates pieces needs a single class
            other = compiled_from(data)
            if len(other.puzzle.classes) == len(drawn.puzzle.classes):
                continue
            known, found = minima(drawn.puzzle), minima(other.puzzle)
            if known is not None and found is not None:
                metrics = drawn.puzzle.metrics
                assert [found[m] for m in metrics] == [known[m] for m in metrics], data
                compared += 1
    return compared


def test_distinct_pieces_keep_the_minima_of_random_puzzles() -> None:
    assert compare_distinct_pieces(2 * DRAWN) > DRAWN / 5


@pytest.mark.slow
def test_changes_without_meaning_keep_the_answers_of_many_random_puzzles() -> None:
    applied = compare_changes(50 * DRAWN)
    assert all(applied[change] > DRAWN for change in CHANGES), applied
    assert compare_distinct_pieces(50 * DRAWN) > 5 * DRAWN


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, _, _ in SIZES])
def test_a_change_without_meaning_keeps_the_answers_of_every_shipped_puzzle(name: str) -> None:
    applied = [change for change in CHANGES if check([change], name)]
    compiled.cache_clear()  # this test runs once per puzzle, and some puzzles occupy much memory
    known_answers.cache_clear()
    if not applied:
        pytest.skip("no change applies")


def test_a_change_with_a_meaning_shows() -> None:
    data = data_of(compiled("microban-001"))
    data["board"] = data["board"].replace("@", " ").replace("$ ", "$@", 1)
    assert answers(compiled_from(data)) != known_answers("microban-001")
    data = data_of(compiled("heng-dao-li-ma"))
    data["goal"] = {"C": {"at": [3, 0]}}
    assert answers(compiled_from(data)) != known_answers("heng-dao-li-ma")


def test_every_change_writes_another_document() -> None:
    original = repr(data_of(compiled("rolling-block")))  # the text shows the order of the keys
    for change in CHANGES.values():
        assert repr(change(compiled("rolling-block"))) != original
