"""In the states of one layer, unit propagation in that layer alone finds the consequences of the invariants."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from pysat.solvers import Solver

import fewest
from fewest.analysis.invariants import num_empty_cells
from fewest.model.metric import metric_of
from fewest.model.task import facts_in
from fewest.planning.bounds import Bounds
from fewest.planning.sat.encoding import Encoding
from fewest.planning.sat.profile import load_profile, profiles
from fewest.planning.sums import has_costly_sums
from fewest.planning.task import planning_task

BOARD = """
puzzle: room
board: |
  {rows}
legend: {{".": floor}}
pieces: {{block: {{letters: A-Z}}}}
moves: {{slide: {{slide: block}}}}
goal: {{A: {{at: [0, 0]}}}}
"""


@pytest.mark.parametrize("profile", [name for name, _ in profiles()])
@pytest.mark.parametrize(("rows", "count"), [(["AB", "C."], 1), (["ABB", ".C."], 2)])
def test_if_all_empty_cells_are_known_no_other_cell_is_empty(
    rows: list[str], count: int, profile: str
) -> None:
    task = fewest.load("room.yaml", text=BOARD.format(rows="\n  ".join(rows))).task
    planning = planning_task(task, metric_of(task, None))
    assert num_empty_cells(planning.exactly, planning.at_most_one) == count
    encoding = Encoding(Bounds(planning), load_profile(profile))
    empty = list(encoding.state.empty.values())
    all_known: list[bool] = []
    with Solver("glucose4") as solver:
        for rows in encoding.layers(-1, 0, is_open=True):
            solver.append_formula(rows.tolist())
        for chosen in combinations(empty, count):
            is_possible, implied = solver.propagate(list(chosen))
            others = {-cell for cell in empty if cell not in chosen}
            all_known.append(not is_possible or others <= set(implied))
    says = load_profile(profile).state
    # An adaptive profile leaves out sums that cost more than they save; without these sums, only the clauses of the
    # next layer imply that the other cells are not empty.
    has_sums = says.exactly != "adaptive" or not has_costly_sums(planning)
    assert all(all_known) == (has_sums or not empty)
    assert has_sums or (count == 1 and profile in ("alternating", "incremental"))
    assert bool(empty) == (says.cells != "none")


@pytest.mark.parametrize("profile", [name for name, _ in profiles()])
@pytest.mark.parametrize("rows", [["AB", "C."], ["ABB", ".C."], ["AA.", "BBC"]])
def test_the_literals_of_a_precondition_include_cells(rows: list[str], profile: str) -> None:
    task = fewest.load("room.yaml", text=BOARD.format(rows="\n  ".join(rows))).task
    planning = planning_task(task, metric_of(task, None))
    state = Encoding(Bounds(planning), load_profile(profile)).state
    places = [
        [sum(1 << fact for fact in facts) for facts in combinations(group.facts, group.count)]
        for group in planning.exactly
    ]
    cells = [sum(1 << fact for fact in cell) for cell in planning.at_most_one]
    consistent = [
        s for s in map(sum, product(*places)) if all((s & c).bit_count() <= 1 for c in cells)
    ]

    def having(literals: list[int]) -> list[int]:
        """The states in which all of these literals are true."""
        facts = {state.fact[fact]: 1 << fact for fact in range(len(planning.facts))}
        facts |= {empty: cells[cell] for cell, empty in state.empty.items()}
        wants = [(facts[abs(v)], (v > 0) != (abs(v) in state.empty.values())) for v in literals]
        return [s for s in consistent if all((s & mask != 0) == is_true for mask, is_true in wants)]

    for move in planning.moves:
        literals = state.literals((move.mask, move.value))
        assert having(literals) == [s for s in consistent if s & move.mask == move.value]
        if state.empty:  # one literal for the piece, and one for each cell that it enters
            (before,), (after,) = map(facts_in, move.effect)
            entered = [c for c in planning.at_most_one if after in c and before not in c]
            assert len(literals) <= 1 + len(entered)
