"""The checkers handle a minimum of zero, numbers of many bits, and tables larger than the memory."""

from __future__ import annotations

import tracemalloc
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

import fewest
from fewest.certificates import container
from fewest.certificates.clauses import ClausesHead
from fewest.certificates.container import (
    Budget,
    TooLargeError,
    encode_head,
    encode_number,
)
from fewest.certificates.native import has_native_checkers
from fewest.certificates.positions import GroupRow
from fewest.certificates.rules_checker import LayersHead
from fewest.commands.verify import CheckOptions, check_certificate, verify_file
from fewest.errors import UsageError
from tests.helpers.certificates import apart, certificate_of, checked, made, of_section, together
from tests.helpers.command_line import run

ALL_BY = ("auto", "rules", "task") if has_native_checkers() else ("auto", "rules")
MB = 1 << 20

SOLVED = """
puzzle: solved-at-the-start
variables: {s: {values: [0, 1, 2], initial: 0}, t: {values: [0, 1], initial: 0}}
moves:
  m: {when: s < 2, set: {s: s + 1}}
  f: {when: t == 0, set: {t: 1}}
metrics:
  free: {count: {m: 1, f: 0}}
  merged: {count: 1, merge: line}
  pair: [moves, free]
  moves: {}
goal: GOAL
"""


@pytest.mark.parametrize("by", ALL_BY)
@pytest.mark.parametrize("metric", ["free", "pair", "moves"])
def test_a_goal_at_the_start_takes_nothing(metric: str, by: str, tmp_path: Path) -> None:
    compiled = fewest.load("solved", text=SOLVED.replace("GOAL", "s == 0"))
    data = made(compiled, tmp_path, metric)
    assert apart(data)[0].sections == ("plan", "layers")
    found = verify_file(tmp_path / "it.proof", manner=CheckOptions(by))
    nothing = "0 + 0" if metric == "pair" else "0"
    assert found.rejected is None and f"{nothing} {metric}, and no fewer" in found.text()[0]
    for kind in ("plan", "layers"):
        made(compiled, tmp_path, metric, kind)
        found = verify_file(tmp_path / "it.proof", manner=CheckOptions(by))
        assert found.rejected is None
    for kind in ("bound", "clauses"):
        with pytest.raises(UsageError, match="at least 1"):
            made(compiled, tmp_path, metric, kind)
    with pytest.raises(UsageError, match="solvable"):
        made(compiled, tmp_path, metric, "invariant")


@pytest.mark.parametrize("by", ALL_BY)
def test_a_goal_that_free_moves_lead_to_takes_nothing(by: str, tmp_path: Path) -> None:
    compiled = fewest.load("solved", text=SOLVED.replace("GOAL", "t == 1"))
    for metric, cost_text in (("free", "0 free"), ("pair", "1 + 0 pair"), ("moves", "1 move")):
        made(compiled, tmp_path, metric)
        found = verify_file(tmp_path / "it.proof", manner=CheckOptions(by))
        assert found.rejected is None and f"{cost_text}, and no fewer" in found.text()[0]


def test_positions_below_a_bound_of_nothing_are_refused() -> None:
    compiled = fewest.load("solved", text=SOLVED.replace("GOAL", "s == 2"))
    listed = LayersHead((0,), (), ((),), (((0,), 1),))
    data = of_section(compiled, "layers", [encode_head(listed), encode_number(0)], "moves")
    for by in ALL_BY:
        with pytest.raises(fewest.FewestError, match="not below the bound"):
            checked(data, by)
    nothing = replace(listed, layers=())
    data = of_section(compiled, "layers", [encode_head(nothing), encode_number(0)], "moves")
    for by in ALL_BY:
        with pytest.raises(fewest.FewestError, match="continues after its end"):
            checked(data, by)


WIDE = """
puzzle: a-chain
variables:
  c[i]: {for: {i: range(135)}, values: [0, 1], initial: 0}
moves:
  l: {for: {i: range(135)}, when: "c[i] == 0 and all(c[j] == 1 for j in range(i - 1, i) if j >= 0)", set: {"c[i]": 1}}
metrics: {ones: {}, pair: [ones, two], two: {count: 2}}
goal: c[3] == 1
"""


@pytest.mark.parametrize("metric", ["ones", "two", "pair"])
def test_numbers_of_over_120_bits_are_a_limit_of_the_native_checker(
    metric: str, tmp_path: Path
) -> None:
    kinds = ("plan", "layers") if metric == "pair" else ("plan", "layers", "bound", "clauses")
    data = made(fewest.load("a-chain", text=WIDE), tmp_path, metric, *kinds)
    expected = [verdict.value for verdict in checked(data, "rules")]
    assert expected == [(4, 8) if metric == "pair" else (8,) if metric == "two" else (4,)] * len(
        kinds
    )
    if has_native_checkers():
        assert [verdict.value for verdict in checked(data, "auto")] == expected
        with pytest.raises(TooLargeError, match="120 bits"):
            checked(data, "task")


BIG = """
puzzle: big
legend: {".": floor, "@": man}
pieces: {man: {}}
moves: {walk: {before: [man, empty], after: [empty, man]}}
goal: row(man) == 5
board: |
  @ROW
"""


@cache
def of_large_group(spots: int, count: int) -> bytes:
    """A small certificate whose positions are numbered by a large table."""
    board = "." * 23 + "\n" + "\n".join(["  " + "." * 24] * 23)
    compiled = fewest.load("big", text=BIG.replace("ROW", board))
    group = GroupRow(tuple((0, anchor) for anchor in range(spots)), count)
    head = LayersHead((5,), (group,), ((),), (((0,), 1),))
    return of_section(compiled, "layers", [encode_head(head), encode_number(0)])


@pytest.mark.parametrize("by", ALL_BY)
@pytest.mark.parametrize(("spots", "count"), [(576, 540), (576, 575), (576, 60)])
def test_a_table_is_no_larger_than_the_memory(spots: int, count: int, by: str) -> None:
    data = of_large_group(spots, count)
    assert len(data) < 20_000
    tracemalloc.start()
    try:
        with pytest.raises(TooLargeError):
            check_certificate(
                certificate_of(data), None, Budget(memory=2 * MB), CheckOptions(by, audit="off")
            )
        assert tracemalloc.get_traced_memory()[1] < 4 * MB
    finally:
        tracemalloc.stop()


def test_a_formula_is_no_larger_than_the_memory(tmp_path: Path) -> None:
    """The checker computes the size of a formula with a long horizon before it creates the formula, whatever the head
    claims."""
    data = made(fewest.load("tiles-2x2"), tmp_path, "moves", "clauses")
    head = certificate_of(data).section(0).head(ClausesHead)
    horizon = 200_000
    per_layer = head.variables // (head.horizon + 1)
    long = replace(head, horizon=horizon, bound=horizon + 1, variables=per_layer * (horizon + 1))
    forged = together(apart(data)[0], [encode_head(replace(long, formula_bytes=0))])
    tracemalloc.start()
    try:
        with pytest.raises(TooLargeError):
            check_certificate(certificate_of(forged), None, Budget(memory=64 * MB), CheckOptions())
        assert tracemalloc.get_traced_memory()[1] < 128 * MB
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(not has_native_checkers(), reason="needs the native checkers")
def test_a_line_of_a_proof_is_no_larger_than_the_memory(tmp_path: Path) -> None:
    """Even if a line never ends, the checker does not store literals or hints beyond the memory limit."""
    from fewest.certificates import _checkers

    for endless in (b"a\x08\x02" + b"\x02" * (4 * MB), b"a\x08\x02\x00" + b"\x02" * (4 * MB)):
        checker = _checkers.Lrat(2 * MB)
        checker.add(b"\x01\0\0\0\0\0\0\0" + b"\xff\xff\xff\xff\0\0\0\0")
        with pytest.raises(_checkers.ProofTooLargeError):
            checker.feed(endless)


def test_files_that_no_reader_accepts_are_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = fewest.load("hanoi")
    monkeypatch.setattr(container, "MAX_HEADER", 300)
    with pytest.raises(UsageError, match="the limit is 300"):
        compiled.prove(tmp_path / "it.proof", kinds=["plan"])
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    monkeypatch.setattr("fewest.certificates.make_layers.MAX_SPOTS", 3)
    with pytest.raises(UsageError, match="over 3 spots"):
        fewest.load("tiles-2x2").prove(tmp_path / "it.proof", kinds=["layers"])
    assert list(tmp_path.iterdir()) == []


def test_a_limit_of_memory_names_how_to_raise_it(tmp_path: Path) -> None:
    path = tmp_path / "big.proof"
    path.write_bytes(of_large_group(576, 540))
    done = run("verify", str(path), "--by", "rules", "--memory", "2M", "--time", "20")
    assert done.returncode == 4 and "--memory" in done.stderr
