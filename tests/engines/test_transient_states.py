"""Who takes a task whose consequences are no part of its operators, and who refuses it and says why."""

from __future__ import annotations

from pathlib import Path

import pytest

import fewest
from fewest import search
from fewest.engines import ENGINES
from fewest.errors import UsageError
from fewest.grounding.ground import ground
from fewest.questions.export import FORMATS, export
from fewest.questions.verify import verify_file
from fewest.web.page import player_data

MAZE = "tilt-maze"  # 19 moves, 687 positions: its `expect`, confirmed by an independent search

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


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_takes_transient_states_or_refuses_them_with_the_reason(name: str) -> None:
    compiled = fewest.load(MAZE)
    assert compiled.task.consequences
    if ENGINES[name].needs_native and not search.NATIVE:
        pytest.skip("the engine is not there")
    if ENGINES[name].takes_transient:
        result = compiled.solve(engine=name)
        assert (result.status, result.cost) == ("optimal", 19)
    else:
        with pytest.raises(UsageError, match="moves that are done in one step") as refused:
            compiled.solve(engine=name)
        assert "--engine bfs" in (refused.value.hint or "")


def test_a_long_search_does_not_turn_to_what_cannot_take_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fewest.engines.exhaustive.LONG", 0)
    result = fewest.load(MAZE).solve()
    assert (result.engine, result.cost) == ("bfs", 19)


@pytest.mark.parametrize("options", [{"store": "index"}, {"symmetry": "on"}])
def test_what_needs_inverses_or_symmetries_is_refused(options: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        fewest.load(MAZE).solve(engine="bfs", **options)


def test_neither_pages_nor_exported_tasks_have_transient_states() -> None:
    compiled = fewest.load(MAZE)
    with pytest.raises(UsageError, match="done in one step"):
        player_data(compiled)
    for to in FORMATS:
        with pytest.raises(UsageError, match="done in one step"):
            export(compiled, to, horizon=3 if to == "dimacs" else None)


def test_merged_moves_are_refused() -> None:
    text = Path(str(fewest.load("landslide").puzzle.file)).read_text(encoding="utf-8")
    merged = text.replace("expect:", "metrics: {moves: {}, turns: {merge: path}}\nexpect:")
    with pytest.raises(UsageError, match="counts several moves as one"):
        fewest.load("x.yaml", text=merged).solve("turns")


def test_exploring_and_hints_know_transient_states_too() -> None:
    compiled = fewest.load(MAZE)
    found = compiled.explore()
    assert (found.num_states, found.minimum) == (687, 19)
    assert found.to_goal is not None
    assert found.to_goal.num_solvable <= found.num_states
    hint = compiled.hint()
    assert hint.distance == 19


def test_a_certificate_of_layers_is_checked_by_the_rules(tmp_path: Path) -> None:
    compiled = fewest.load(MAZE)
    proof = compiled.prove(tmp_path / "maze.fewest")
    assert proof.kinds == ("plan", "layers")
    verified = verify_file(tmp_path / "maze.fewest")
    assert verified.rejected is None
    assert "19 moves, and no fewer" in verified.proven


@pytest.mark.parametrize("engine", ["bfs", "python"])
def test_a_consequence_that_never_ends_is_reported_where_it_is_met(engine: str) -> None:
    compiled = fewest.load("swing.yaml", text=SWING)
    compiled.__dict__["grounded"] = ground(compiled.puzzle, most_divided=0)
    result = compiled.solve(engine=engine)
    assert result.status == "unsolvable"
    assert result.statistics["endless"] == {"rule": "go", "at": ["a@0,0", "c@1,0", "x=0"]}
    (warning,) = compiled.met_on_the_way(result)
    assert warning.code == "then-endless"
    assert "a@0,0" in warning.message
