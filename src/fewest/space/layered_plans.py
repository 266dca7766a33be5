"""Graphs of plans for metrics in which all operators cost the same. The graphs are built layer by layer, up to the
first goal state or up to a given number of moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fewest.model.metric import Parts
from fewest.model.problem import sets_in
from fewest.model.task import union
from fewest.search.batches import StateSet, expand
from fewest.space.plan_graph import (
    Change,
    Footprints,
    MoveTable,
    PlanEdge,
    PlanGraph,
    assembled,
)
from fewest.space.state_graph import BATCH, StateIds, States, Watch, in_goal, never_stop

if TYPE_CHECKING:
    from fewest.model.costs import CostTable
    from fewest.model.task import Task

Steps = NDArray[np.int64]
"""int64[3, m]: for each step, the place of its state in the layer, the place of the next state in the next layer, and
the operator
"""


def has_uniform_costs(table: CostTable) -> bool:
    """Whether every operator costs the same, whatever operators precede it."""
    arrays = table.arrays
    same = bool((arrays.weight == arrays.weight[:, :1]).all()) and arrays.weight.size > 0
    return same and bool(arrays.weight[:, 0].any()) and not (arrays.run_in >= 0).any()


def uniform_plan_graph(task: Task, table: CostTable, watch: Watch = never_stop) -> PlanGraph | None:
    """The optimal plans of a task with `has_uniform_costs`; None if there is no plan.

    The function searches up to the layer of the first goal state, and then expands these layers again. Raises the
    exceptions of `watch`.
    """
    problem = task.problem
    layers = _layers_to_goal(task, watch)
    if layers is None:
        return None
    weight: Parts = tuple(table.arrays.weight[:, 0].tolist()) if len(task.moves) else (1,)
    wanted = layers[-1][in_goal(layers[-1], problem)]
    levels: list[tuple[States, Steps]] = [(wanted, np.empty((3, 0), dtype=np.int64))]
    for states in reversed(layers[:-1]):
        wanted, steps = _before(task, states, wanted, watch)
        levels.append((wanted, steps))
    levels.reverse()
    return _numbered(task, levels, weight)


def _layers_to_goal(task: Task, watch: Watch) -> list[States] | None:
    problem = task.problem
    known = StateSet(problem.words)
    frontier = problem.arrays.initial.reshape(1, -1)
    known.insert(frontier)
    layers = [frontier]
    while not in_goal(frontier, problem).any():
        layer: list[States] = []
        for begin in range(0, len(frontier), BATCH):
            successors, _, _ = expand(problem, frontier[begin : begin + BATCH])
            layer.append(np.ascontiguousarray(successors[known.insert(successors)]))
            watch(len(known), len(known) * (24 * problem.words + 16))
        frontier = np.concatenate(layer)
        if not len(frontier):
            return None
        layers.append(frontier)
    return layers


def _before(task: Task, states: States, wanted: States, watch: Watch) -> tuple[States, Steps]:
    """The states of a layer from which some operator leads to a wanted state, and the corresponding steps."""
    index = StateIds(wanted)
    rows: list[np.ndarray] = []
    steps: list[np.ndarray] = []
    for begin in range(0, len(states), BATCH):
        successors, parents, operators = expand(task.problem, states[begin : begin + BATCH])
        at = index.find(successors)
        found = np.flatnonzero(at >= 0)
        steps.append(np.stack([parents[found] + begin, at[found], operators[found]]))
        rows.append(np.unique(parents[found]) + begin)
        watch(len(states), states.nbytes)
    chosen = np.concatenate(rows)
    every = np.concatenate(steps, axis=1)
    every[0] = np.searchsorted(chosen, every[0])
    return np.ascontiguousarray(states[chosen]), every


def _numbered(task: Task, levels: list[tuple[States, Steps]], weight: Parts) -> PlanGraph:
    """The graph of these layers, from the start to the goal; each layer comes with the steps to the next one."""
    sizes = [len(rows) for rows, _ in levels]
    begins = np.cumsum([0, *sizes])
    source, target, operator = np.concatenate(
        [
            steps + np.array([[begins[number]], [begins[number + 1]], [0]])
            for number, (_, steps) in enumerate(levels)
        ],
        axis=1,
    )
    return assembled(
        np.concatenate([rows for rows, _ in levels]),
        source,
        target,
        Footprints(task).reads_of(operator),
        [(number,) for number in operator.tolist()],
        [
            tuple(part * (len(levels) - 1 - number) for part in weight)
            for number, size in enumerate(sizes)
            for _ in range(size)
        ],
    )


def plans_within(
    task: Task, table: CostTable, most: int, watch: Watch = never_stop
) -> PlanGraph | None:
    """All plans of at most `most` operators that end at their first goal state, for a task with `has_uniform_costs`;
    None if no such plan exists.

    Plans may return to a position. A node is a state together with the number of moves before it. `left` is the negated
    cost up to the node. Independence is stricter than among optimal plans: the last move depends on all earlier moves,
    and moves that change facts of the goal depend on each other. Therefore, exchanging two moves never makes a plan
    reach a goal state before its end.
    """
    problem = task.problem
    frontier = problem.arrays.initial.reshape(1, -1)
    layers = [frontier]
    for _ in range(most):
        states = StateSet(problem.words)
        inner = np.ascontiguousarray(frontier[~in_goal(frontier, problem)])
        for begin in range(0, len(inner), BATCH):
            states.insert(expand(problem, inner[begin : begin + BATCH])[0])
            watch(len(states), sum(layer.nbytes for layer in layers) + len(states) * 24)
        frontier = states.states()
        layers.append(frontier)
    levels: list[tuple[States, Steps]] = []
    wanted = frontier[:0]
    for states_there in reversed(layers):
        is_goal = in_goal(states_there, problem)
        before = states_there[:0]
        steps = np.empty((3, 0), dtype=np.int64)
        if len(wanted):
            inner = np.ascontiguousarray(states_there[~is_goal])
            before, steps = _before(task, inner, wanted, watch)
        wanted = np.concatenate([before, states_there[is_goal]])
        levels.append((wanted, steps))
    levels.reverse()
    return _numbered_within(task, levels, table) if len(levels[0][0]) else None


def _numbered_within(task: Task, levels: list[tuple[States, Steps]], table: CostTable) -> PlanGraph:
    weight: Parts = tuple(table.arrays.weight[:, 0].tolist()) if len(task.moves) else (1,)
    footprints, moves = Footprints(task), MoveTable()
    of_goal = union(mask for cubes in task.goal_lists for mask, _ in cubes)
    meets = 1 << len(task.facts)  # this extra fact, which occurs in no state, represents the goal
    states = [state for rows, _ in levels for state in sets_in(rows, task.words)]
    edges: list[tuple[PlanEdge, ...]] = []
    left: list[Parts] = []
    ends: list[bool] = []
    first = 0
    for number, (rows, steps) in enumerate(levels):
        following = first + len(rows)
        found: list[dict[int, PlanEdge]] = [{} for _ in range(len(rows))]
        for source, target, operator in steps.T.tolist():
            state, after = states[first + source], states[following + target]
            changes: tuple[Change, ...] = ((state ^ after, state & (state ^ after)),)
            reads = footprints.reads(operator)
            if (state ^ after) & of_goal:
                reads |= meets
                changes = (*changes, (meets, 0))
            if task.is_goal(after):
                reads |= footprints.every | meets
                changes = (changes[0], (meets, meets))
            move = moves.id(changes, reads)
            found[source][move] = PlanEdge(move, following + target, (operator,))
        edges += (tuple(sorted(some.values(), key=lambda edge: edge.move)) for some in found)
        ends += (task.is_goal(state) for state in states[first:following])
        left += [tuple(-part * number for part in weight)] * len(rows)
        first = following
    return PlanGraph(tuple(states), tuple(edges), tuple(ends), moves.all(), tuple(left))
