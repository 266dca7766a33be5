"""The planning task for a metric. Every move takes one layer, so the number of layers is the cost of a plan.

    Task + Metric ─ planning_task ─> PlanningTask ─> SAT, ASP, export

A horizon counts layers, whereas a metric counts costs. The following four rules make the two numbers equal:

- a sequence of operators that a metric with merged moves counts once becomes one macro operator (`macros.py`);
- a move that costs k units takes k layers: one for the move and k - 1 *waits*, in which nothing happens;
- moves of weight 0 stay separate (`free`): any number of them may happen within a layer;
- if free moves may interrupt a merged move, each merged move has a fact that is true while the merged move is in
  progress.

A move flips facts, permutes them (`MacroOperator.image`), or both.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from msgspec import Struct
from msgspec.structs import replace

from fewest.errors import UsageError
from fewest.model.conditional_effects import apply_effects
from fewest.model.costs import run_rule, runs_of
from fewest.model.metric import Metric, MetricPart
from fewest.model.task import Cube, Group, Task, is_in_every, union
from fewest.planning.conditional_effects import is_left_alone, usual_rounds
from fewest.planning.macros import MAX_COMPOSITES, MacroOperator, macro_operators, single_move

MAX_LAYERS = 10_000  # the maximum number of layers of a move; each of them needs a fact and a move


class PlanningTask(Struct, frozen=True):
    """Facts, moves that take one layer each, free moves, goals and invariants.

    The task's own facts come first; the facts that represent waits and merged moves follow. A plan of h moves,
    including waits, costs `h * unit`. `exactly` and `at_most_one` hold in every layer, as in `Task`. `has_whole_runs`:
    no minimal plan needs a move with a `run_in` that equals the `run_out` of the move before it.

    If moves have consequences, an encoding describes `rounds` rounds of them; otherwise, `rounds` is 0.
    `has_all_rounds`: whether a proof shows that no move from a position takes more rounds than `rounds`. Free moves
    have no consequences. `endless` contains intermediate states from which the consequences never end.
    """

    task: Task
    metric: Metric
    facts: tuple[str, ...]
    initial: int
    goal: tuple[Cube, ...]
    forbid: tuple[Cube, ...]
    moves: tuple[MacroOperator, ...]
    free: tuple[MacroOperator, ...]
    exactly: tuple[Group, ...]
    at_most_one: tuple[tuple[int, ...], ...]
    unit: int
    has_whole_runs: bool
    rounds: int = 0
    has_all_rounds: bool = True
    endless: frozenset[int] = frozenset()
    further_goals: tuple[tuple[Cube, ...], ...] = ()

    def after(self, move: MacroOperator, state: int) -> int | None:
        """The state after an applicable move and its consequences, or None if the consequences never end."""
        target = move.apply(state)
        return apply_effects(self.task.consequences, target) if self.rounds else target

    def is_goal(self, state: int) -> bool:
        return is_in_every((self.goal, *self.further_goals), state)

    def is_forbidden(self, state: int) -> bool:
        return any(state & mask == value for mask, value in self.forbid)


def planning_task(task: Task, metric: Metric, part: int | None = None) -> PlanningTask:
    """The planning task for a single-part metric, or for one part of a lexicographic pair.

    Although dominated macro operators are omitted, the planning task has the same minima as the task in that metric,
    and it is solvable iff the task is solvable. Raises UsageError if the metric is a pair and `part` is None, if a
    metric merges moves that have separate consequences, if effects read or change what uncounted moves change, if there
    are too many merged moves (MAX_COMPOSITES), or if a move takes more than MAX_LAYERS layers.
    """
    return _in_units(weighted_task(task, metric, part))


def weighted_task(task: Task, metric: Metric, part: int | None = None) -> PlanningTask:
    """The planning task for planners that minimise costs: every move is one step with the weight `layers`, and there
    are no waits.

    The cost of a plan is the sum of the `layers` of its moves. Raises the same errors as `planning_task`.
    """
    if part is None and len(metric.parts) > 1:
        raise UsageError(
            f"the lexicographic metric `{metric.name}` is not supported, because a horizon is a single number",
            hint="solve each part separately",
        )
    measure = metric.parts[part or 0]
    weights = [measure.weight(move.rule, move.binding) for move in task.moves]
    has_free = 0 in weights
    if has_free and measure.merge != "none" and _has_runs(task, measure):
        return _with_runs(task, metric, measure)
    follows = bool(task.consequences)
    free = tuple(
        single_move(index, move, 0) for index, move in enumerate(task.moves) if not weights[index]
    )
    if follows and not is_left_alone(task, union(move.changing for move in free)):
        raise UsageError(
            f"a horizon cannot express the moves of {task.name} that the metric `{metric.name}` does not count, "
            "because the conditions or consequences of the moves have too many cases for single operators",
            hint="use --engine bfs or --engine python, which test and apply them one by one",
        )
    return PlanningTask(
        task,
        metric,
        tuple(fact.name for fact in task.facts),
        task.initial,
        task.goal,
        task.forbid,
        macro_operators(task, measure),
        free,
        task.exactly,
        task.at_most_one,
        1,
        measure.merge != "none" and not has_free,
        rounds=(1 if task.pending else usual_rounds(task)) if follows else 0,
        has_all_rounds=not follows or bool(task.pending),
        further_goals=task.further_goals,
    )


def _has_runs(task: Task, part: MetricPart) -> bool:
    """Whether some operator continues a merged move that another operator has begun."""
    run_in, run_out, _ = runs_of(task, part)
    return not {key for key in run_in if key >= 0}.isdisjoint(run_out)


def _with_runs(task: Task, metric: Metric, part: MetricPart) -> PlanningTask:
    """The task with a fact for each merged move that may be in progress; moves that continue a merged move are free.

    The caller uses this task only if the metric has both merged and free moves. The additional facts can multiply the
    number of moves by the number of merged moves. Raises UsageError if there are more than MAX_COMPOSITES of
    these combinations.
    """
    run_in, run_out, _ = runs_of(task, part)
    rule = run_rule(task, Metric(part.name, (part,)))
    keys = sorted({key for key in run_in if key >= 0}.intersection(run_out))
    none = len(task.facts)
    bit_of = {key: 1 << (none + number) for number, key in enumerate((-1, *keys))}
    moves: list[MacroOperator] = []
    free: list[MacroOperator] = []
    for index, move in enumerate(task.moves):
        weight = part.weight(move.rule, move.binding)
        own = single_move(index, move, weight)
        ended = 0
        for key, bit in bit_of.items():
            (paid,), (left,) = rule.step(index, (key,))
            after = bit_of.get(
                left, 1 << none
            )  # a merged move that no operator continues needs no fact
            if weight:
                run = replace(own, layers=paid)
                (moves if paid else free).append(_exchange(run, bit, after))
            elif after != bit:
                free.append(_exchange(own, bit, after))
                ended |= bit
        if not weight:
            free.append(replace(own, mask=own.mask | ended))
        if len(moves) + len(free) > MAX_COMPOSITES:
            raise UsageError(
                f"the metric `{metric.name}` has more than {MAX_COMPOSITES:,} combinations of a move and a merged move "
                "in this puzzle"
            )
    names = ("no run", *(f"run {key}" for key in keys))
    return PlanningTask(
        task,
        metric,
        (*(fact.name for fact in task.facts), *names),
        task.initial | 1 << none,
        task.goal,
        task.forbid,
        tuple(moves),
        tuple(free),
        (*task.exactly, Group(tuple(range(none, none + len(names))), 1)),
        task.at_most_one,
        1,
        False,
        further_goals=task.further_goals,
    )


def _exchange(move: MacroOperator, before: int, after: int) -> MacroOperator:
    """A copy of the move that also requires the fact `before` and replaces it with the fact `after`. Both facts are
    given as bits of a set of facts.
    """
    both = before | after
    flip = both if before != after else 0
    return replace(move, mask=move.mask | both, value=move.value | before, flip=move.flip | flip)


def _in_units(plain: PlanningTask) -> PlanningTask:
    """The task in which every move takes one layer; waits follow each move that costs more than one unit."""
    unit = gcd(*(move.layers for move in plain.moves))
    longest = max((move.layers // (unit or 1) for move in plain.moves), default=1)
    if longest <= 1:
        moves = tuple(replace(move, layers=1) for move in plain.moves)
        return replace(plain, moves=moves, unit=unit or 1)
    if longest > MAX_LAYERS:
        raise UsageError(
            f"a move costs up to {longest:,} times the unit of `{plain.metric.name}`, but a horizon supports at most "
            f"{MAX_LAYERS:,} layers for a move",
            hint="use --engine bfs or --engine astar",
        )
    # Exactly one of these facts is true: `ready`, or `wait i`, which means that i layers of waiting remain.
    ready = len(plain.facts)
    bits = [1 << (ready + i) for i in range(longest)]
    waits = [
        MacroOperator((), bits[i] | bits[i - 1], bits[i], bits[i] | bits[i - 1], 1)
        for i in range(1, longest)
    ]
    moves = tuple(
        _exchange(replace(move, layers=1), bits[0], bits[move.layers // unit - 1])
        for move in plain.moves
    )
    names = ("ready", *(f"wait {i}" for i in range(1, longest)))
    return replace(
        plain,
        facts=(*plain.facts, *names),
        initial=plain.initial | bits[0],
        goal=_while_ready(plain.goal, bits[0]),
        moves=(*moves, *waits),
        free=tuple(_exchange(move, bits[0], bits[0]) for move in plain.free),
        exactly=(*plain.exactly, Group(tuple(range(ready, ready + longest)), 1)),
        unit=unit,
        has_whole_runs=False,
    )


def _while_ready(cubes: Sequence[Cube], ready: int) -> tuple[Cube, ...]:
    return tuple((mask | ready, value | ready) for mask, value in cubes)
