"""The checkers accept the layers that `prove` writes for every rule kind and metric, and reject altered layers."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import fewest
from fewest.certificates import grounded_task
from fewest.certificates.container import Budget, CertificateError, RejectedError, TooLargeError
from fewest.certificates.embedded_puzzle import embedded_puzzle
from fewest.certificates.make_layers import layers_section
from fewest.certificates.native import has_native_checkers
from fewest.certificates.rules_checker import LayersHead
from fewest.commands import check_options
from fewest.errors import DocumentError
from fewest.grounding.ground import ground
from fewest.model.position import Position
from fewest.playing.exhaust import TooManyPositionsError, exhaust
from fewest.playing.move import Move
from tests.helpers.agreement import compiled_or_none, relaxed
from tests.helpers.certificates import Layers, apart, checked, made, together
from tests.helpers.random_puzzles import puzzles

BY = ["rules", "task"] if has_native_checkers() else ["rules"]
MANNERS = [("rules", 0.0), ("task", 0.0), ("task", 1.0)][: 2 * len(BY) - 1]
TIGHT = """
puzzle: tight
model: sliding-blocks
board: |
  AB.
  CDB
  E..
goal: {E: {at: [0, 0]}, C: {at: [0, 1]}}
"""


def certified(text: str, folder: Path, most: int) -> None:
    """Check that all checkers accept certificates of the minima, for a puzzle of at most `most` positions."""
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    moves: dict[Position, list[Move]] = {}
    for metric in compiled.puzzle.metrics.values():
        try:
            reach = exhaust(compiled.puzzle, metric, most, moves)
        except (TooManyPositionsError, DocumentError):
            assume(False)
        if reach.minimum is not None and not any(reach.minimum):
            continue  # the minimum is zero, so no layer is below it
        kinds = ["layers"] if reach.minimum is None else ["plan", "layers"]
        data = made(compiled, folder, metric.name, *kinds)
        verdicts = [checked(data, by, share) for by, share in MANNERS]
        found = {v.proves: v for v in verdicts[0]}
        for others in verdicts[1:]:
            assert [(v.proves, v.value) for v in others] == [
                (v.proves, v.value) for v in verdicts[0]
            ]
        if reach.minimum is None:
            assert found["unsolvable"].counts["positions"] == len(reach.costs)
        else:
            assert (found["cost"].value, found["bound"].value) == (reach.minimum, reach.minimum)
            below = sum(cost < reach.minimum for cost in reach.costs.values())
            assert found["bound"].counts["positions"] == below


@settings(relaxed, max_examples=15)
@given(text=puzzles())
def test_the_minimum_of_the_reference_is_certified_in_every_metric(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    certified(text, tmp_path_factory.mktemp("proof"), 60)


@pytest.mark.slow
@settings(relaxed, max_examples=300)
@given(text=puzzles())
def test_the_minimum_is_certified_of_larger_puzzles(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    certified(text, tmp_path_factory.mktemp("proof"), 400)


FREE_AND_RUNS = """
puzzle: free-and-runs
legend: {"@": player, "$": box, ".": floor, "#": wall, "x": goal}
terrain: [goal]
pieces: {player: {}, box: {}}
moves:
  walk: {before: [player, empty], after: [empty, player]}
  push: {before: [player, box, empty], after: [empty, player, box]}
metrics:
  lines: {count: {push: 1, walk: 0}, merge: line}
  both: [lines, steps]
  steps: {}
goal: {every: goal, holds: box}
board: |
  ....
  .@$.
  .#$.
  .x.x
"""


@pytest.mark.parametrize("metric", ["lines", "both", "steps"])
def test_runs_that_free_moves_interrupt_are_certified(metric: str, tmp_path: Path) -> None:
    compiled = fewest.load("free-and-runs.yaml", text=FREE_AND_RUNS)
    reach = exhaust(compiled.puzzle, compiled.puzzle.metrics[metric], 20_000)
    data = made(compiled, tmp_path, metric)
    for by, share in MANNERS:
        found = {v.proves: v.value for v in checked(data, by, share)}
        assert found == {"cost": reach.minimum, "bound": reach.minimum}


@pytest.fixture(params=BY)
def by(request: pytest.FixtureRequest) -> str:
    """The checker: `rules` or `task`."""
    return str(request.param)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A certificate in a metric that merges moves; some layers have several positions."""
    compiled = fewest.load("tight.yaml", text=TIGHT)
    return made(compiled, tmp_path_factory.mktemp("proof"), "turns", "layers")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A certificate in a metric that does not merge moves."""
    compiled = fewest.load("machinarium", {"n": 2})
    return made(compiled, tmp_path_factory.mktemp("proof"), "moves", "layers")


def changed(data: bytes, change: Callable[[Layers], None]) -> bytes:
    header, sections = apart(data)
    layers = Layers.of(data, 0)
    change(layers)
    return together(header, [layers.encode(), *sections[1:]])


def test_nothing_changed_is_the_same_file(plain: bytes) -> None:
    assert changed(plain, lambda layers: None) == plain


def test_without_any_one_of_its_positions_it_is_rejected(plain: bytes, by: str) -> None:
    whole = Layers.of(plain, 0)
    for depth, row in enumerate(whole.rows):
        for number in row:
            with pytest.raises(RejectedError, match=r"no layer allows|first layer|no move leads"):
                checked(changed(plain, lambda layers: layers.rows[depth].pop(number)), by)  # noqa: B023


def test_a_position_in_another_layer_is_rejected(plain: bytes, by: str) -> None:
    whole = Layers.of(plain, 0)
    for depth, row in enumerate(whole.rows):
        for number in row:
            for other in {depth - 1, depth + 1} & set(range(len(whole.rows))):

                def move(layers: Layers) -> None:
                    layers.rows[other][number] = layers.rows[depth].pop(number)  # noqa: B023

                with pytest.raises(
                    RejectedError, match=r"no layer allows|first layer|no move leads"
                ):
                    checked(changed(plain, move), by)


def shift(layers: Layers, by: int) -> None:
    rows = tuple(
        (tuple(c + by for c in cost), n) for cost, n in layers.head.layers if cost[0] + by >= 0
    )
    layers.rows = layers.rows[-len(rows) :]
    layers.head = msgspec.structs.replace(layers.head, layers=rows)


def more_bound(layers: Layers) -> None:
    assert layers.head.bound is not None
    layers.head = msgspec.structs.replace(layers.head, bound=(layers.head.bound[0] + 1,))


def other_order(layers: Layers) -> None:
    rows = layers.head.layers
    layers.head = msgspec.structs.replace(layers.head, layers=(rows[1], rows[0], *rows[2:]))


def one_spot_twice(layers: Layers) -> None:
    first = layers.head.groups[0]
    groups = (
        msgspec.structs.replace(first, spots=(*first.spots, first.spots[0])),
        *layers.head.groups[1:],
    )
    layers.head = msgspec.structs.replace(layers.head, groups=groups)


def no_such_spot(layers: Layers) -> None:
    first = layers.head.groups[0]
    groups = (msgspec.structs.replace(first, spots=((9, 9),)), *layers.head.groups[1:])
    layers.head = msgspec.structs.replace(layers.head, groups=groups)


def a_position_too_many(layers: Layers) -> None:
    known = {number for row in layers.rows for number in row}
    number = next(n for n in range(10_000) if n not in known)
    layers.rows[3][number] = next(iter(layers.rows[3].values()))


def unsolvable_instead(layers: Layers) -> None:
    layers.head = msgspec.structs.replace(layers.head, bound=None)


def unsolvable_in_one_layer(layers: Layers) -> None:
    row = {number: [[]] for row in layers.rows for number in row}
    layers.rows = [row]
    layers.head = msgspec.structs.replace(
        layers.head, bound=None, runs=(), layers=(((), len(row)),)
    )


def of_two_parts(layers: Layers) -> None:
    assert layers.head.bound is not None
    layers.head = msgspec.structs.replace(layers.head, bound=(*layers.head.bound, 0))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda layers: shift(layers, 1), "below the bound|first layer"),
        (lambda layers: shift(layers, -1), "first layer"),
        (more_bound, "no layer allows"),
        (other_order, "not in order"),
        (one_spot_twice, "twice"),
        (no_such_spot, "no spot"),
        (a_position_too_many, "no move leads|is a goal|no layer allows"),
        (unsolvable_instead, "runs for|not in order"),
        (unsolvable_in_one_layer, "no layer allows"),
        (of_two_parts, "the bound has the wrong number of parts for `moves`"),
    ],
)
def test_mutations_are_rejected_each_with_its_reason(
    change: Callable[[Layers], None], reason: str, plain: bytes, by: str
) -> None:
    with pytest.raises(RejectedError, match=reason):
        checked(changed(plain, change), by)


def test_runs_left_out_or_put_in_are_rejected(runs: bytes, by: str) -> None:
    whole = Layers.of(runs, 0)
    chance = random.Random(3)
    for _ in range(12):
        depth = chance.randrange(1, len(whole.rows))
        number = chance.choice(sorted(whole.rows[depth]))
        for listed in ([[0]], [[len(whole.head.runs[0])]]):
            if listed == whole.rows[depth][number]:
                continue

            def put(layers: Layers) -> None:
                layers.rows[depth][number] = listed  # noqa: B023

            with pytest.raises(RejectedError, match=r"no layer allows|no move leads"):
                checked(changed(runs, put), by)


def test_the_certificate_of_another_puzzle_of_the_same_size_is_rejected(tmp_path: Path) -> None:
    texts = [
        f"puzzle: mine\nmodel: rush-hour\nboard: |\n  ..BB\n  XX.A\n  {row}\n  ....\n"
        for row in ("...A", "CC.A")
    ]
    one, other = (
        made(fewest.load("mine.yaml", text=t), tmp_path, "steps", "layers") for t in texts
    )
    headers = [apart(data)[0] for data in (one, other)]
    swapped = together(headers[1], apart(one)[1])
    with pytest.raises(RejectedError, match="first layer"):
        checked(swapped)
    lying = msgspec.structs.replace(headers[0], documents=headers[1].documents)
    with pytest.raises(RejectedError, match="made for a different puzzle"):
        checked(together(lying, apart(one)[1]))
    renamed = msgspec.structs.replace(headers[0], rules="0" * 64)
    with pytest.raises(RejectedError, match="made for a different puzzle"):
        checked(together(renamed, apart(one)[1]))


def test_a_certificate_must_be_of_the_shipped_puzzle_of_its_name(tmp_path: Path) -> None:
    text = "puzzle: hardest-6x6\nmodel: rush-hour\nboard: |\n  ..BB\n  XX.A\n  ...A\n  ....\n"
    data = made(fewest.load("mine.yaml", text=text), tmp_path, "steps")
    with pytest.raises(
        RejectedError, match="not a certificate of hardest-6x6, or the puzzle has changed"
    ):
        checked(data)


def test_a_certificate_of_a_shipped_level_must_be_of_it(tmp_path: Path) -> None:
    """Level 1 also ships as a puzzle, which has walls where the level has none; level 9 ships only as a level."""
    for number in (1, 9):
        level = fewest.load(f"microban.xsb:{number}")
        assert level.document is not None
        data = made(level, tmp_path, "pushes", "layers")
        assert checked(data, "auto")
        text = level.document.texts[0].replace("$ ", " $", 1)
        assert text != level.document.texts[0]
        with pytest.raises(
            RejectedError,
            match=rf"not a certificate of microban-00{number}, or the puzzle has changed",
        ):
            checked(made(fewest.load("mine.yaml", text=text), tmp_path, "pushes"))


@settings(relaxed, max_examples=80)
@given(
    at=st.integers(0, 10_000),
    byte=st.integers(0, 255),
    length=st.integers(0, 3),
    which=st.booleans(),
    by=st.sampled_from(BY),
)
def test_no_change_of_bytes_crashes_or_proves_a_false_statement(
    plain: bytes, runs: bytes, at: int, byte: int, length: int, which: bool, by: str
) -> None:
    data = plain if which else runs
    header, (section,) = apart(data)
    at %= len(section)
    new = section[:at] + bytes([byte] * length) + section[at + length :]
    try:
        verdicts = checked(together(header, [new]), by)
    except (RejectedError, CertificateError, TooLargeError):
        return
    true = Layers.of(data, 0).head.bound
    assert true is not None
    for verdict in verdicts:
        assert verdict.proves == "bound"
        assert verdict.value is not None and verdict.value <= true


def test_sizes_and_numbers_of_known_puzzles(tmp_path: Path) -> None:
    data = made(fewest.load("hardest-6x6"), tmp_path, "slides", "layers")
    head = Layers.of(data, 0).head
    assert isinstance(head, LayersHead)
    assert head.bound == (49,)
    assert len(data) < 200_000


@pytest.mark.skipif("task" not in BY, reason="needs the native checkers")
@pytest.mark.parametrize("wrong", ["goal", "operators", "forbidden"])
def test_a_wrong_grounder_is_found_on_a_share_of_the_positions(
    wrong: str, plain: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    header, _ = apart(plain)
    puzzle, metric = embedded_puzzle(header)
    task = ground(puzzle)
    first = next(o for o in task.operators if o.is_applicable(task.initial))
    forged = {
        "goal": replace(task, goal=((0, 1),)),
        "operators": replace(task, operators=tuple(o for o in task.operators if o is not first)),
        "forbidden": replace(
            task, forbid=(((1 << len(task.facts)) - 1, first.apply(task.initial)),)
        ),
    }[wrong]
    bound = None if wrong == "goal" else Layers.of(plain, 0).head.bound
    section = b"".join(layers_section(puzzle, forged, metric, bound, Budget()))
    data = together(header, [section])
    monkeypatch.setattr(grounded_task, "ground", lambda *_: forged)
    checked(data, "task")  # this checker trusts the grounder, and reports this
    with pytest.raises(RejectedError, match="the grounder has a bug"):
        checked(data, "task", 1.0)
    with pytest.raises(RejectedError):
        checked(data)


@pytest.mark.skipif("task" not in BY, reason="needs the native checkers")
def test_many_positions_are_checked_by_the_task_and_some_of_them_played(
    plain: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (verdict,) = checked(plain, "auto")
    assert verdict == checked(plain, "rules")[0]
    assert verdict.by == "playing the rules"
    number = verdict.counts["positions"]
    monkeypatch.setattr(check_options, "_PLAYED", number - 1)
    (verdict,) = checked(plain, "auto")
    assert (
        f"agree with the rules on {number:,} positions (100.00%)" in verdict.by
        and "grounder" in verdict.trusts
    )
    monkeypatch.setattr(check_options, "_COMPARED", number // 2)
    (verdict,) = checked(plain, "auto")
    played = re.search(r"agree with the rules on ([\d,]+) positions", verdict.by)
    assert played is not None and 0 < int(played[1].replace(",", "")) < number
    monkeypatch.setattr(check_options, "has_native_checkers", lambda: False)
    assert checked(plain, "auto")[0].by == "playing the rules"
