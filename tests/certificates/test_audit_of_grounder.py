"""If a check relies on the grounder, `verify` audits the grounder and reports the number of audited positions.

An earlier version of the program wrote `data/stale-*.proof`. In that version, `count(KIND, TERRAIN)` under `then` did
not yet use the position after the move. The files claim that their puzzle, `bug1`, is unsolvable, but it can be solved
in 3 moves.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

import fewest
from fewest.certificates import grounded_task
from fewest.certificates.container import RejectedError
from fewest.certificates.make_invariant import invariant_section
from fewest.certificates.native import has_native_checkers
from fewest.certificates.positions import GroupRow
from fewest.certificates.rules_checker import LayersHead
from fewest.commands import audit_result
from fewest.commands.verify import CheckOptions, Verification, verify_file
from fewest.errors import Exit
from fewest.grounding.ground import ground
from fewest.planning.reachability import unreachable_cubes
from tests.helpers.certificates import Layers, checked, made, of_section
from tests.helpers.command_line import run

DATA = Path(__file__).parent / "data"
ALL_BY = ("auto", "rules", "task") if has_native_checkers() else ("auto", "rules")


@pytest.fixture(autouse=True)
def _with_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FEWEST_AUDIT")


@pytest.mark.parametrize("by", ALL_BY)
@pytest.mark.parametrize("kind", ["invariant", "layers"])
def test_a_proof_that_a_wrong_grounder_made_is_rejected(kind: str, by: str) -> None:
    path = DATA / f"stale-{kind}.proof"
    found = verify_file(path, manner=CheckOptions(by))
    assert found.exit_code == Exit.FAILED
    assert found.rejected is not None and found.rejected.startswith(f"{kind}: ")
    done = run("verify", str(path), "--by", by)
    assert done.returncode == 1 and f"{path}: rejected: {kind}: " in done.stdout


RINGS = """
puzzle: rings
legend: {".": floor, a: a, b: b, c: c, "#": wall}
pieces: {a: {}, b: {}, c: {}}
moves:
  turn: {cycle: [[0, 0], [0, 1], [0, 2], [1, 2], [2, 2], [2, 1], [2, 0], [1, 0]]}
  swap: {cycle: [[0, 2], [0, 3], [1, 3]]}
goal: cell(2, 0) == b
board: |
  aaab
  a#ac
  aaa.
"""


@pytest.mark.skipif(not has_native_checkers(), reason="the native checkers are not installed")
def test_a_forged_list_from_which_rules_leave_the_task_is_rejected() -> None:
    """There is only one `a`, so the task has no facts for `c`. The forged list also contains positions with two."""
    text = """
puzzle: two
pieces: {a: {}, c: {}}
legend: {".": floor, a: a, c: c}
moves:
  go: {before: [a, empty], after: [empty, a]}
  make: {before: [a, a, empty], after: [a, a, c]}
board: |
  a..
goal: count(c) == 1
"""
    compiled = fewest.load("two.yaml", text=text)
    groups = (GroupRow(tuple((0, cell) for cell in range(3)), None),)
    layers = Layers(LayersHead(None, groups, (), (((), 1),)), [{n: [[]] for n in range(1, 7)}])
    data = of_section(compiled, "layers", [layers.encode()])
    with pytest.raises(RejectedError, match="the task has no facts"):
        checked(data, "task", share=1.0)


@pytest.mark.skipif(not has_native_checkers(), reason="the native checkers are not installed")
def test_a_turn_of_equal_pieces_is_no_difference(tmp_path: Path) -> None:
    """The task has an operator for such a turn, which changes nothing and is therefore not a move by the rules."""
    compiled = fewest.load("rings.yaml", text=RINGS)
    assert ground(compiled.puzzle).permutations
    data = made(compiled, tmp_path, "moves", "layers")
    assert checked(data, "task", share=1.0)[0].value == (5,)


def of_wrong_task() -> tuple[bytes, fewest.CompiledPuzzle]:
    """A certificate of a grounder that omits one move, so that the goal is unreachable."""
    text = (
        "puzzle: locked\nvariables: {a: {values: [0, 1, 2], initial: 0}}\n"
        "moves: {one: {when: a == 0, set: {a: 1}}, two: {when: a == 1, set: {a: 2}}}\ngoal: a == 2\n"
    )
    compiled = fewest.load("locked", text=text)
    cubes = unreachable_cubes(without_two(compiled.puzzle))
    assert cubes is not None
    section = invariant_section(without_two(compiled.puzzle), (), cubes)
    return of_section(compiled, "invariant", section), compiled


def without_two(puzzle: fewest.Puzzle, *_: object) -> fewest.Task:
    task = ground(puzzle)
    return replace(task, operators=tuple(o for o in task.operators if o.rule != "two"))


@pytest.mark.parametrize("by", ALL_BY)
def test_the_audit_finds_a_grounder_that_loses_a_move(
    by: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The prover and the checker use the same wrong task, so only a comparison with the rules reveals the fault."""
    data, _ = of_wrong_task()
    (tmp_path / "it.proof").write_bytes(data)
    monkeypatch.setattr(grounded_task, "ground", without_two)
    found = verify_file(tmp_path / "it.proof", manner=CheckOptions(by))
    assert found.rejected is not None and "disagrees with the rules" in found.rejected
    assert "a=1" in found.rejected, "it shows the position"
    assert "`two` is a move" in found.rejected and "there is no such move" in found.rejected
    found = verify_file(tmp_path / "it.proof", manner=CheckOptions(by, audit="off"))
    assert found.rejected is None
    if by == "rules":
        assert found.exit_code == Exit.LIMIT and "verified" not in "\n".join(found.text())
    else:
        assert "no position was audited" in found.text()[-1]


def verified(data: bytes, folder: Path, manner: CheckOptions) -> Verification:
    (folder / "it.proof").write_bytes(data)
    found = verify_file(folder / "it.proof", manner=manner)
    assert found.rejected is None
    return found


# The goal is near, but all 360 positions can be reached.
NEAR = """
puzzle: near
model: tiles
board: |
  1_3
  425
goal:
  board: |
    123
    45_
"""


@pytest.mark.skipif(not has_native_checkers(), reason="needs the native checkers")
@pytest.mark.parametrize("kind", ["bound", "clauses"])
def test_bounds_that_rely_on_the_grounder_give_the_extent_of_the_audit(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = fewest.load("near.yaml", text=NEAR)
    data = made(compiled, tmp_path, "moves", kind)
    for by in ALL_BY:
        found = verified(data, tmp_path, CheckOptions(by))
        assert found.exit_code == Exit.ANSWERED and found.is_by_rules
        assert "verified in" in found.text()[0] and "agrees with the rules" in found.text()[0]
        assert "  grounder: the rules were played on all 360 positions" in found.text()[-1]
        assert found.to_json()["audit"] == {"positions": 360, "all": True}
    monkeypatch.setattr(audit_result, "ALL", 100)
    monkeypatch.setattr(audit_result, "_SHARE", 0.002)
    found = verified(data, tmp_path, CheckOptions("auto"))
    assert found.exit_code == Exit.ANSWERED and not found.is_by_rules
    assert "by the compiled task" in found.text()[0] and "not on all" in found.text()[-1]
    found = verified(data, tmp_path, CheckOptions("rules"))
    assert found.exit_code == Exit.LIMIT and not found.to_json()["verified"]
    lines = found.text()
    assert "proven for the compiled task only" in lines[0] and "--audit all" in lines[-1]
    assert "verified" not in "\n".join(lines)
    found = verified(data, tmp_path, CheckOptions("rules", audit="all"))
    assert found.exit_code == Exit.ANSWERED and found.is_by_rules


def test_a_number_of_positions_can_be_audited(tmp_path: Path) -> None:
    data = made(fewest.load("tiles-2x3-swapped"), tmp_path, "moves", "invariant")
    found = verified(data, tmp_path, CheckOptions(audit=7))
    assert found.to_json()["audit"] == {"positions": 7, "all": False}
    path = str(tmp_path / "it.proof")
    assert "on all 360 positions" in run("verify", path, "--audit", "all").stdout
    done = run("verify", path, "--audit", "some")
    assert done.returncode == 2 and "`some` is not a valid audit" in done.stderr


def test_layers_that_are_played_need_no_audit(tmp_path: Path) -> None:
    data = made(fewest.load("jugs"), tmp_path, "moves")
    found = verified(data, tmp_path, CheckOptions("rules"))
    assert found.is_by_rules and found.to_json()["audit"] is None
    assert " by the rules); " in found.text()[0]
    assert not any("grounder" in line for line in found.text())


def test_the_positions_of_a_bound_are_played_by_the_rules(tmp_path: Path) -> None:
    """Only the potential of a bound relies on the grounder."""
    compiled = fewest.load("tiles-2x3")
    data = made(compiled, tmp_path, "moves", "bound")
    found = verified(data, tmp_path, CheckOptions("rules", audit="off"))
    (verdict,) = found.verdicts
    assert (
        "playing the rules" in verdict.by and "(for the potential) the grounder" in verdict.trusts
    )
    assert verdict.value == (compiled.solve("moves").cost,)
