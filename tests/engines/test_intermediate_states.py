"""Each engine solves tasks with consequences outside their operators, or refuses them with the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from pysat.formula import CNF
from pysat.solvers import Solver

import fewest
from fewest import search
from fewest.certificates.clauses import ClausesHead
from fewest.certificates.container import RejectedError, encode_head
from fewest.commands.export import export, write_files
from fewest.commands.verify import CheckOptions, verify_file
from fewest.engines import ENGINES, portfolio
from fewest.errors import UsageError
from fewest.grounding.ground import ground
from fewest.planning.conditional_effects import usual_rounds
from fewest.planning.sat.profile import profiles
from tests.certificates.test_clauses import modelled
from tests.helpers.agreement import check_planned, compiled_or_none, relaxed
from tests.helpers.certificates import apart, certificate_of, checked, together
from tests.helpers.planners import clingo
from tests.helpers.random_puzzles import following
from tests.helpers.shipped import shipped
from tests.helpers.stages import sooner

ENCODINGS = [name for name, _ in profiles()]

# 19 moves, 687 positions: `expect` of the puzzle, confirmed by an independent search.
MAZE = "tilt-maze"

SWING = """puzzle: swing
legend: {a: a, c: c, ".": floor}
pieces: {a: {}, c: {}}
variables: {x: {values: range(2), initial: 0}}
moves: {go: {together: a, set: {x: 1}}}
then: {swing: {before: [c, empty], after: [empty, c], directions: horizontal, when: x == 1}}
goal: row(a) == 9
board: |
  a...
  c...
  ....
"""

# A small version of the shipped landslide: 100 positions, 6 moves.
SLIDE = """puzzle: slide
legend: {".": floor, "#": wall}
pieces: {stone: {letters: A-F}}
moves: {push: {slide: stone, directions: horizontal}}
then: {fall: {slide: stone, directions: down}}
order: bottom-up
goal: {A: {at: [3, 4]}}
board: |
  A..B.
  ####.
  ..#..
  C....
"""


STAIR = """puzzle: stair
legend: {a: a, b: b, "#": wall, ".": floor}
pieces: {a: {}, b: {}}
moves:
  step: {slide: a, directions: horizontal}
  push: {before: [a, b, empty], after: [empty, a, b], directions: right}
then: {fall: {slide: a|b, directions: down}}
order: bottom-up
goal: row(a) == 2
board: |
  ab..
  ##..
  ###.
"""


@pytest.fixture
def small_landslide(monkeypatch: pytest.MonkeyPatch) -> fewest.CompiledPuzzle:
    """The small landslide. Here, the consequences of every puzzle stay outside its operators, as those of the shipped
    landslide do."""
    monkeypatch.setitem(ground.__kwdefaults__, "most_divided", 0)
    compiled = fewest.load("slide.yaml", text=SLIDE)
    assert compiled.task.consequences
    return compiled


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_supports_intermediate_states_or_refuses_them_with_the_reason(name: str) -> None:
    compiled = shipped(MAZE)
    assert compiled.task.consequences
    if ENGINES[name].needs_native and not search.NATIVE:
        pytest.skip("the engine is not there")
    if not ENGINES[name].is_exhaustive:  # these engines would be too slow for nineteen tilts
        stair = fewest.load("stair.yaml", text=STAIR)
        stair.__dict__["grounded"] = ground(stair.puzzle, most_divided=0)
        assert stair.grounded.consequences
        result = stair.solve(engine=name)
        assert (result.status, result.cost) == ("optimal", stair.solve(engine="bfs").cost)
    elif ENGINES[name].supports_intermediate:
        result = compiled.solve(engine=name)
        assert (result.status, result.cost) == ("optimal", 19)
    else:
        with pytest.raises(UsageError, match="does not support intermediate states") as refused:
            compiled.solve(engine=name)
        assert "--engine bfs" in (refused.value.hint or "")


def test_a_long_search_does_not_switch_to_an_engine_that_refuses_the_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(portfolio, "BY_LAYERS", sooner(portfolio.BY_LAYERS))
    result = shipped(MAZE).solve()
    assert (result.engine, result.cost) == ("bfs", 19)


@pytest.mark.parametrize("options", [{"store": "index"}, {"symmetry": "on"}])
def test_requests_that_need_inverses_or_symmetries_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        shipped(MAZE).solve(engine="bfs", **options)


def test_tasks_for_planners_have_no_intermediate_states() -> None:
    compiled = shipped(MAZE)
    for to in ("pddl", "sas"):
        with pytest.raises(UsageError, match="does not support intermediate states"):
            export(compiled, to)


@pytest.mark.parametrize("name", ["slide", "digger", "muddled-monsters"])
def test_exported_formulas_and_programs_contain_consequences(name: str, tmp_path: Path) -> None:
    compiled = fewest.load("slide.yaml", text=SLIDE) if name == "slide" else fewest.load(name)
    compiled.__dict__["grounded"] = ground(compiled.puzzle, most_divided=0)
    minimum = compiled.solve().cost
    assert isinstance(minimum, int)
    (path,) = write_files(export(compiled, "asp"), tmp_path / "it.lp")
    plan = re.findall(r'(?<!\S)move\((\d+),"[a-z][a-z0-9_-]*"\)', clingo(path))
    assert sorted(map(int, plan)) == list(range(1, minimum + 1))
    for horizon in (minimum - 1, minimum):
        made = export(compiled, "dimacs", horizon=horizon)
        (path,) = write_files(made, tmp_path / "it.cnf")
        with Solver("cadical195", bootstrap_with=CNF(from_file=str(path)).clauses) as solver:
            assert solver.solve() == (horizon == minimum)


def test_orders_have_names_in_what_is_exported() -> None:
    (text,) = export(fewest.load("mirror-twins"), "asp").files.values()
    assert b'name(0,"step_' in text


def test_consequences_with_an_unbounded_number_of_sweeps_are_not_exported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fewest.planning.sat.round_bound.MOST_TIMES", 0)
    for to in ("asp", "dimacs"):
        with pytest.raises(UsageError, match="no bound for") as refused:
            export(fewest.load("landslide"), to, horizon=3 if to == "dimacs" else None)
        assert "--engine bfs" in (refused.value.hint or "")


def test_a_refuted_formula_shows_the_sweeps_that_it_needs(
    small_landslide: fewest.CompiledPuzzle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "slide.proof"
    monkeypatch.setattr("fewest.planning.task.usual_rounds", lambda task: 1)
    small_landslide.prove(path, kinds=["plan", "clauses"])
    assert certificate_of(path.read_bytes()).section(1).head(ClausesHead).rounds > 1
    verified = verify_file(path, manner=CheckOptions(audit="off"))  # an audit is slow
    assert "6 moves, and no fewer" in verified.proven


def test_a_formula_without_sweeps_is_no_proof(
    small_landslide: fewest.CompiledPuzzle, tmp_path: Path
) -> None:
    path = tmp_path / "slide.proof"
    small_landslide.prove(path, kinds=["clauses"])
    header, (section,) = apart(path.read_bytes())
    head = certificate_of(path.read_bytes()).section(0).head(ClausesHead)
    rest = section[len(encode_head(head)) :]
    for rounds, words in ((0, "number of rounds"), (head.rounds + 1, "formula")):
        changed = encode_head(replace(head, rounds=rounds)) + rest
        with pytest.raises(RejectedError, match=words):
            checked(together(header, [changed]))


@settings(relaxed, max_examples=15)
@given(following(), st.integers(0, 1 << 30), st.integers(1, 3))
def test_every_walk_has_a_model_however_few_sweeps_are_shown(
    text: str, seed: int, rounds: int
) -> None:
    compiled = compiled_or_none(text, most_divided=0)
    assume(compiled is not None)
    assert compiled is not None
    assume(compiled.grounded.consequences)
    modelled(compiled, seed, 3, rounds)


def test_merged_moves_are_refused() -> None:
    text = Path(str(fewest.load("landslide").puzzle.file)).read_text(encoding="utf-8")
    merged = text.replace("expect:", "metrics: {moves: {}, turns: {merge: path}}\nexpect:")
    compiled = fewest.load("x.yaml", text=merged)
    for method in (compiled.solve, compiled.explore, compiled.hint):
        with pytest.raises(UsageError, match="counts several moves as one") as refused:
            method(metric="turns")
        assert refused.value.hint == "use a metric in which every move counts: --metric moves"


def test_exploring_and_hints_support_intermediate_states_too() -> None:
    compiled = shipped(MAZE)
    found = compiled.explore()
    assert (found.num_states, found.minimum) == (687, 19)
    assert found.goal_distances is not None
    assert found.goal_distances.num_solvable <= found.num_states
    hint = compiled.hint()
    assert hint.distance == 19


def test_a_certificate_of_layers_is_checked_by_the_rules(
    small_landslide: fewest.CompiledPuzzle, tmp_path: Path
) -> None:
    proof = small_landslide.prove(tmp_path / "slide.fewest")
    assert proof.kinds == ("plan", "layers")
    verified = verify_file(tmp_path / "slide.fewest")
    assert verified.rejected is None
    assert "6 moves, and no fewer" in verified.proven


@settings(relaxed, max_examples=3)
@given(following(), st.sampled_from(ENCODINGS))
def test_horizons_with_consequences_have_the_minima_of_the_reference(
    text: str, encoding: str
) -> None:
    check_intermediate(text, [encoding])


@pytest.mark.slow
@settings(relaxed, max_examples=200)
@given(following())
def test_horizons_with_consequences_have_the_minima_of_the_reference_in_every_encoding(
    text: str,
) -> None:
    check_intermediate(text, ENCODINGS)


def check_intermediate(text: str, encodings: Sequence[str]) -> None:
    compiled = compiled_or_none(text)
    assume(compiled is not None)
    assert compiled is not None
    compiled.__dict__["grounded"] = ground(compiled.puzzle, most_divided=0)
    runs = [("sat", {"encoding": encoding}) for encoding in encodings]
    check_planned(compiled, [("asp", {}), *runs], text)


@pytest.mark.parametrize("engine", ["sat", "asp"])
def test_no_plan_is_missed_if_a_layer_has_too_few_sweeps(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fewest.planning.task.usual_rounds", lambda task: 1)
    monkeypatch.setattr(
        "fewest.planning.sat.round_bound.MOST_TIMES", 0
    )  # so that no proof shows how many sweeps suffice
    stair = fewest.load("stair.yaml", text=STAIR)
    stair.__dict__["grounded"] = ground(stair.puzzle, most_divided=0)
    assert usual_rounds(stair.grounded) > 1
    assert stair.solve(engine=engine).cost == stair.solve(engine="bfs").cost


@pytest.mark.parametrize("engine", ["sat", "asp"])
def test_an_endless_move_is_illegal_in_a_layer(engine: str) -> None:
    compiled = fewest.load("swing.yaml", text=SWING.replace("row(a) == 9", "row(a) == 1"))
    compiled.__dict__["grounded"] = ground(compiled.puzzle, most_divided=0)
    result = compiled.solve(engine=engine, last=3)
    assert result.status in ("limit", "unsolvable")
    assert result.plan is None


@pytest.mark.parametrize("engine", ["bfs", "python"])
def test_a_consequence_that_never_ends_is_reported_where_it_is_met(engine: str) -> None:
    compiled = fewest.load("swing.yaml", text=SWING)
    compiled.__dict__["grounded"] = ground(compiled.puzzle, most_divided=0)
    result = compiled.solve(engine=engine)
    assert result.status == "unsolvable"
    assert result.statistics["endless"] == {"rule": "go", "at": ["a@0,0", "c@1,0", "x=0"]}
    (warning,) = compiled.warnings_from_search(result)
    assert warning.code == "then-endless"
    assert "a@0,0" in warning.message
