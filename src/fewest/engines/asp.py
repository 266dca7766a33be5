"""Bounded-horizon planning in answer set programming: clingo, multi-shot, horizons deepened by one.

The programs are data (`encodings/asp/*.lp`) and know no puzzle. One control object grows a layer at a
time; the goal is asked for under an external, so nothing learnt is lost. A horizon without an answer
set is a proof that no plan has exactly that many moves; all horizons below have been refuted before,
so the first plan is minimal. What this engine cannot do is prove that there is no plan at all.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf

import clingo

from fewest.analysis.composites import Composite, composites
from fewest.language.puzzle import Metric
from fewest.resources import encoding_folder
from fewest.results import Answer, Horizon, Limits
from fewest.task import Task, facts_in

PROGRAMS = ("plan.lp", "invariants.lp")


def solve(
    task: Task,
    metric: Metric,
    limits: Limits,
    progress: Callable[[Horizon], None] | None = None,
) -> Answer:
    """The minimum, or the best lower bound when a limit stops it.

    `progress` is called after each horizon. Raises UsageError for a metric whose moves are not
    equally weighted (see `composites`).
    """
    began = time.perf_counter()
    moves = composites(task, metric)
    weight = next(iter(metric.parts[0].weights.values()), 1)
    statistics: dict[str, object] = {"moves": len(moves), "facts": len(task.facts)}
    if task.is_goal(task.initial):
        return Answer("optimal", (0,), (0,), (), None, {**statistics, "horizons": []})
    control = clingo.Control(["--warn=none"])
    for name in PROGRAMS:
        control.load(str(encoding_folder() / "asp" / name))
    control.add("base", [], "\n".join(facts(task, moves)))
    control.ground([("base", [])])
    horizons: list[Horizon] = []
    statistics["horizons"] = horizons
    horizon, reason = 0, "time"
    try:
        while True:
            horizon += 1
            plan, verdict, spent = _ask(control, horizon, began, limits.seconds or inf)
            if verdict is None:
                break
            found = Horizon(
                horizon, verdict, spent, int(control.statistics["solving"]["solvers"]["conflicts"])
            )
            horizons.append(found)
            if progress is not None:
                progress(found)
            if plan is not None:
                statistics["seconds"] = time.perf_counter() - began
                operators = tuple(index for move in plan for index in moves[move].operators)
                cost = (horizon * weight,)
                return Answer("optimal", cost, cost, operators, None, statistics)
    except KeyboardInterrupt:
        reason = "interrupted"
    statistics["seconds"] = time.perf_counter() - began
    return Answer("limit", None, ((len(horizons) + 1) * weight,), None, reason, statistics)


def _ask(
    control: clingo.Control, horizon: int, began: float, seconds: float
) -> tuple[list[int] | None, str | None, float]:
    """The moves of a plan of this horizon if there is one; verdict None if the time is up."""
    started = time.perf_counter()
    number = clingo.Number(horizon)
    control.ground([("step", [number]), ("check", [number])])
    query = clingo.Function("query", [number])
    control.assign_external(query, True)
    plan: list[int] | None = None
    with control.solve(yield_=True, async_=True) as handle:
        while not handle.wait(0.05):
            if time.perf_counter() - began > seconds:
                handle.cancel()
                return None, None, 0.0
        model = handle.model()
        if model is not None:
            plan = [0] * horizon
            for symbol in model.symbols(atoms=True):
                if symbol.name == "do":
                    plan[symbol.arguments[1].number - 1] = symbol.arguments[0].number
    control.release_external(query)
    verdict = "no plan" if plan is None else "plan"
    return plan, verdict, time.perf_counter() - started


def facts(task: Task, moves: tuple[Composite, ...]) -> list[str]:
    """The task as facts for the programs; `plan.lp` and `invariants.lp` say what they mean."""
    out = [f"init({fact})." for fact in facts_in(task.initial)]
    for index, move in enumerate(moves):
        out.append(f"move({index}).")
        out += [f"needs({index},{fact})." for fact in facts_in(move.value)]
        out += [f"without({index},{fact})." for fact in facts_in(move.mask & ~move.value)]
        out += [f"deletes({index},{fact})." for fact in facts_in(move.flip & move.value)]
        out += [f"adds({index},{fact})." for fact in facts_in(move.flip & ~move.value)]
    for name, cubes in (("goal", task.goal), ("forbid", task.forbid)):
        for index, (mask, value) in enumerate(cubes):
            out.append(f"{name}({index}).")
            out += [f"{name}({index},{fact},{value >> fact & 1})." for fact in facts_in(mask)]
    for index, group in enumerate(task.exactly):
        out.append(f"exactly({index},{group.count}).")
        out += [f"member({index},{fact})." for fact in group.facts]
    for index, cell in enumerate(task.at_most_one):
        out += [f"cell({index},{fact})." for fact in cell]
    return out
