"""Computes the correct models of a layered encoding: all walks of a given number of moves, found by playing."""

from __future__ import annotations

import clingo
import numpy as np
from msgspec.structs import replace
from pysat.solvers import Solver

from fewest.planning import horizons as deepening
from fewest.planning.asp import facts
from fewest.planning.bounds import Bounds
from fewest.planning.sat.encoding import Encoding
from fewest.planning.sat.profile import Profile, PruningPart, StatePart, load_profile
from fewest.planning.task import PlanningTask

UNPRUNED = ("operators", "exact", "incremental", "leave-arrive", "bare")
"""Profiles that differ in parts other than pruning, for `unpruned`."""


def unpruned(name: str) -> Profile:
    """The profile without pruning: every walk has a model.

    `bare` is `leave-arrive` without invariants, so that no invariant hides a fault of a transition.
    """
    if name == "bare":
        return replace(load_profile("proved"), state=StatePart())
    return replace(load_profile(name), pruning=PruningPart())


def models(clauses: list[np.ndarray], projection: list[int]) -> set[tuple[int, ...]]:
    """The models of a CNF, projected onto some variables."""
    found: set[tuple[int, ...]] = set()
    with Solver(name="glucose4") as solver:
        for rows in clauses:
            solver.append_formula(rows.tolist())
        while solver.solve():
            true = set(solver.get_model())
            model = tuple(v if v in true else -v for v in projection)
            assert model not in found
            found.add(model)
            solver.add_clause([-literal for literal in model])
    return found


def walks(planning: PlanningTask, horizon: int) -> set[tuple[int, ...]]:
    """All sequences of layer states of exactly `horizon` moves, found by playing."""
    found = {(planning.initial,)}
    for _ in range(horizon):
        longer: set[tuple[int, ...]] = set()
        for walk in found:
            for at in deepening.free_paths(planning, walk[-1]):
                for move in planning.moves:
                    target = planning.after(move, at) if move.is_applicable(at) else None
                    if target is not None and not planning.is_forbidden(target):
                        longer.add((*walk, target))
        found = longer
    return found


def is_pruned(planning: PlanningTask, walk: tuple[int, ...]) -> bool:
    """Whether the profiles exclude the walk because a move reverses the move before it."""
    if planning.free:
        return False
    return any(a == b for a, b in zip(walk, walk[2:], strict=False))


def layered(
    planning: PlanningTask, profile: Profile, horizon: int, bounds: Bounds | None = None
) -> set[tuple[int, ...]]:
    """The models of all layers up to the horizon, as sequences of layer states. `bounds`: those of the task, if they
    are known.
    """
    encoding = Encoding(bounds or Bounds(planning), profile)
    clauses = encoding.layers(-1, horizon) + encoding.known(range(0), range(horizon))
    variables = [*encoding.state.fact, *([encoding.mirrored] if encoding.mirrored else [])]
    projection = [
        variable + layer * encoding.num_variables
        for layer in range(horizon + 1)
        for variable in variables
        if layer < horizon or variable != encoding.mirrored
    ]
    found = models(clauses, projection)
    states = {tuple(encoding.states(set(model), horizon)) for model in found}
    assert len(states) == len(found)
    return states


def asp_walks(
    planning: PlanningTask,
    texts: list[str],
    horizon: int,
    is_exact: bool,
    bounds: Bounds | None = None,
) -> set[tuple[int, ...]]:
    """The answer sets of these programs at one horizon, as sequences of layer states. `bounds`: those of the task, if
    they are known.
    """
    control = clingo.Control(["0", "--warn=none", "--project=show"])
    for text in texts:
        control.add(text)
    control.add("\n".join([*facts(bounds or Bounds(planning)), *(["exact."] if is_exact else [])]))
    control.add("#show. #show holds/2.")
    control.add("#program step(t). :- not active(t).")
    number = [clingo.Number(i) for i in range(horizon + 1)]
    control.ground([("base", []), ("check", [number[0]])])
    for t in range(1, horizon + 1):
        control.ground([("step", [number[t]]), ("check", [number[t]])])
    found: set[tuple[int, ...]] = set()

    def keep(model: clingo.Model) -> None:
        states = [0] * (horizon + 1)
        for atom in model.symbols(shown=True):
            states[atom.arguments[1].number] |= 1 << atom.arguments[0].number
        found.add(tuple(states))

    for t in range(horizon + 1):
        control.assign_external(clingo.Function("query", [number[t]]), False)
    control.solve(on_model=keep)
    return found
