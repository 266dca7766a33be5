"""The rules and the compiled tasks of random puzzles agree, for every construct in every context.

`tests/helpers/matrix/constructs.py` derives the matrix from the types that read documents. If no puzzle has a pair, a
test fails and names the pair. Other tests check that the table of refused pairs is complete and correct.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import groupby
from operator import itemgetter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fewest.commands.load import load_puzzle
from fewest.errors import DocumentError
from fewest.formats.plain import written
from fewest.grounding.ground import ground
from fewest.model.puzzle import Puzzle
from fewest.model.task import Task
from tests.helpers.matrix.agenda import Agenda
from tests.helpers.matrix.compare import (
    Compared,
    DifferenceError,
    TooLargeError,
    compare,
    compare_positions,
)
from tests.helpers.matrix.constructs import BOARDS, EXPRESSIONS, Pair, matrix
from tests.helpers.matrix.documents import draw
from tests.helpers.matrix.letters import compare_letters, with_letters
from tests.helpers.matrix.refused import codes_of, directed, refusal, refused_pairs
from tests.helpers.matrix.smaller import smaller
from tests.helpers.matrix.tags import pairs_of
from tests.helpers.matrix.templates import STAYING
from tests.helpers.random_puzzles.parts import document as written_quickly

NUMBER = 190  # random puzzles; together they have most pairs
CALLS = 4  # limit on the steps for compiling such a puzzle; the few larger puzzles would take a third of the time
PACK = 3  # pairs of one context in one puzzle
PACK_CALLS = 2  # thousand steps for compiling a pack; of a larger one, each pair has its own puzzle
TOO_LARGE = "moves.cycle.set"  # a context in which nine of ten packs would take too many steps
LETTERED = 40  # random puzzles with a class for each letter
TRIES = 40  # attempts to draw a puzzle with a missing pair


def _compared(
    document: dict[str, object], number: int, how: Callable[..., Compared] = compare
) -> Compared | None:
    """The comparisons that were made for a puzzle; None if it is refused or too large."""
    text = written_quickly(**document)
    try:
        return how(load_puzzle("drawn.yaml", text=text), number=number)
    except (DocumentError, TooLargeError):
        return None
    except DifferenceError as difference:
        raise AssertionError(f"{difference}\n{text}") from difference


def _draw(pair: Pair, agenda: Agenda) -> bool:
    """Whether a puzzle that is drawn for the pair contains it, and has several positions; the agenda counts its
    pairs."""
    for attempt in range(TRIES):
        document = directed(pair, attempt)
        pairs = pairs_of(document)
        if pair in pairs:
            compared = _compared(document, attempt + len(pair[1]), compare_positions)
            if compared is not None and compared.positions > 1:
                agenda.drawn(pairs)
                return True
    return False


def test_puzzles_with_every_pair_of_the_matrix_agree() -> None:
    refused = refused_pairs()
    agenda = Agenda(matrix(refused), refused)
    for number in range(NUMBER):
        document = draw(Random(number), agenda)
        compared = _compared(document, number, partial(compare, most_calls=CALLS))
        if compared is not None and compared.positions > 1:
            agenda.drawn(pairs_of(document))
    for number, pack in enumerate(_packs(agenda.missing())):
        # A drawn puzzle also contains many other pairs.
        left = [pair for pair in pack if not agenda.counts[pair]]
        if not left:
            continue
        document = directed(left[0], 0, [row for _, row in left[1:]])
        how = partial(compare_positions, most_calls=PACK_CALLS)
        compared = _compared(document, number, how)
        if compared is not None and compared.positions > 1:
            agenda.drawn(pairs_of(document))
    missing = [p for p in agenda.missing() if not agenda.counts[p] and not _draw(p, agenda)]
    assert missing == []


def _packs(pairs: list[Pair]) -> Iterator[list[Pair]]:
    """Pairs of one context that one puzzle can have: a few pairs of expressions, or a single other pair."""
    for context, group in groupby(pairs, key=itemgetter(0)):
        found = [pair for pair in group if pair[1] in EXPRESSIONS]
        if context == TOO_LARGE:
            continue
        if context.endswith((".when", ".set", ".expr")) or context.startswith("looked at: "):
            yield from (found[at : at + PACK] for at in range(0, len(found), PACK))


def test_refused_pairs_are_refused_with_their_code() -> None:
    refused = refused_pairs()
    assert set(refused) <= set(matrix(refused))
    wrong = {
        pair: codes_of(directed(pair, 0))
        for pair, code in refused.items()
        if refusal(pair, 2) is None
    }
    assert wrong == {}


# `pytest --hypothesis-profile hunt tests/test_matrix.py` compares 200,000 puzzles.
@settings(max_examples=10 if settings.default.derandomize else 200_000, deadline=None)
@given(st.integers(0, 2**62))
def test_random_puzzles_of_the_matrix_agree(seed: int) -> None:
    agenda = Agenda(
        _PAIRS, refused_pairs()
    )  # a new agenda, so that the puzzle depends only on the seed
    _compared(draw(Random(seed), agenda), seed)


_PAIRS = frozenset(matrix(refused_pairs()))


def test_a_class_for_each_letter_changes_no_minimum() -> None:
    agenda = Agenda(_PAIRS, refused_pairs())
    compared = 0
    for number in range(LETTERED):
        rng = Random(f"letters {number}")
        document = draw(rng, agenda)
        agenda.drawn(pairs_of(document))
        lettered = with_letters(document, rng)
        if lettered is not None:
            text = written_quickly(**lettered)
            with suppress(DocumentError, TooLargeError):
                compared += compare_letters(text) > 1
    assert compared > 2


def test_a_letter_without_a_class_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    document = {**PUSHING, "pieces": {"a": {"letters": "PQ"}}, "goal": "cell(0, 1) == P"}
    document |= {"board": [["Q", ".", "P"]], "moves": {"move": {"slide": "a"}}}
    text = written_quickly(**{**document, "legend": {".": "floor"}})
    assert compare_letters(text) == 0
    monkeypatch.setattr("fewest.reading.named_letters.named_letters", lambda *_: frozenset())
    with pytest.raises(DifferenceError, match="the minimum is None, and"):
        compare_letters(text)


def test_random_puzzles_have_places_beside_large_pieces_that_stay() -> None:
    agenda = Agenda(_PAIRS, refused_pairs())
    found = {"moves": 0, "then": 0}
    for number in range(1500):
        document = draw(Random(number), agenda)
        agenda.drawn(pairs_of(document))
        for section in found:
            for rule in document.get(section, {}).values():
                if rule.get("whole") and (rule["before"], rule["after"]) in _STAYING:
                    found[section] += 1
        if all(found.values()):
            break
    assert all(found.values()), found


def test_random_puzzles_count_large_pieces_whose_corner_is_a_wall() -> None:
    # With all pairs, only one puzzle in 400 has such a piece and counts floor cells; with these pairs, one in 14.
    others = {*EXPRESSIONS, *BOARDS} - {"count(kind, floor)", "piece: letters"}
    agenda = Agenda({pair for pair in _PAIRS if pair[1] not in others}, refused_pairs())
    found = 0
    for number in range(150):
        document = draw(Random(number), agenda)
        agenda.drawn(pairs_of(document))
        if "floor)" in str(document):
            with suppress(DocumentError):
                puzzle = load_puzzle("drawn.yaml", text=written_quickly(**document))
                assert puzzle.board is not None
                found += any(piece.anchor in puzzle.board.walls for piece in puzzle.pieces)
    assert found


_STAYING = [(list(before), list(after)) for before, after in STAYING]

PUSHING = {
    "puzzle": "pushing",
    "board": [["a", "b", "."]],
    "legend": {".": "floor", "a": "a", "b": "b"},
    "pieces": {"a": {}, "b": {}},
    "moves": {"push": {"before": ["a", "b", "empty"], "after": ["empty", "a", "b"]}},
    "metrics": {"ones": {}, "twos": {"count": 2}},
    "goal": "cell(0, 2) == b",
}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda task: replace(task, operators=()), "the task lacks"),
        (lambda task: replace(task, goal=()), "a goal by the rules True, task False"),
        (lambda task: replace(task, forbid=((0, 0),)), "forbidden by the rules False, task True"),
        (lambda task: replace(task, initial=0), "the initial state"),
    ],
)
def test_the_comparison_finds_a_task_that_is_wrong(
    wrong: Callable[[Task], Task], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ground_wrongly(puzzle: Puzzle, *args: object, **options: object) -> Task:
        return wrong(ground(puzzle))

    puzzle = load_puzzle("pushing.yaml", text=written_quickly(**PUSHING))
    assert compare(puzzle).positions == 2
    monkeypatch.setattr("tests.helpers.matrix.compare.ground", ground_wrongly)
    with pytest.raises(DifferenceError, match=message):
        compare(puzzle)


def test_a_puzzle_is_made_smaller_as_long_as_it_differs() -> None:
    document = {**PUSHING, "variables": {"x": {"values": [0, 1], "initial": 0}}}
    least = smaller(document, lambda found: "push" in found.get("moves", {}))
    assert least == {
        "puzzle": "pushing",
        "board": [[".", ".", "."]],
        "moves": {"push": {}},
        "goal": PUSHING["goal"],
    }


def drawn_documents() -> list[str]:
    """The first random puzzles of a hunt, as text."""
    refused = refused_pairs()
    agenda, found = Agenda(matrix(refused), refused), []
    for number in range(30):
        document = draw(Random(f"hunt {number}"), agenda)
        agenda.drawn(pairs_of(document))
        found.append(written(document))
    return found


def test_a_seed_draws_the_same_puzzles_in_every_process() -> None:
    code = "from tests.test_matrix import drawn_documents; print(repr(drawn_documents()))"
    environment = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    text = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)
    # The new process orders its sets differently.
    assert ast.literal_eval(text) == drawn_documents()
