"""Compares bidirectional search with breadth-first search: `python -m bench.bidirectional [--only NAME]`.

For each search, the benchmark prints the number of states and the seconds until the first plan; it also prints the
ratio of the two numbers of states. The seconds cover only the search itself. If a limit ends a search, a `>` precedes
the figures reached at the limit. The state counts do not depend on the machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace

import fewest
from fewest.engines import solve
from fewest.model.answer import Answer, Limits
from fewest.model.metric import Metric, metric_of
from fewest.model.task import Task

LIMITS = Limits(seconds=120.0, memory=2 << 30)


@dataclass(frozen=True)
class Case:
    """A task whose goal consists of one state or a few states."""

    name: str
    task: Task
    metric: Metric


def cases(only: str) -> Iterator[Case]:
    """The cases whose name contains `only`."""
    for name in ("fifteen-15", "fifteen-20", "fifteen-25", "fifteen-30", "tiles-3x4"):
        if only in name:
            yield from _of(name, ["moves"])
    for n in (9, 10):
        if only in f"arrows n={n}":
            yield from _of("machinarium", ["moves"], f"arrows n={n}", n=n)
    if only in "heng-dao-li-ma, full goal":
        yield from _full_goal("heng-dao-li-ma", ["turns", "slides", "steps"])
    for name, metrics in [
        ("jewel-swap", ["turns", "steps"]),
        ("the-time-machine", ["turns", "steps"]),
        ("pyramid", ["jumps", "turns"]),
        ("microban-005", ["lines"]),
        ("microban-066", ["pushes", "moves", "pushes-then-moves"]),
    ]:
        if only in name:
            yield from _of(name, metrics)


def _of(name: str, metrics: list[str], title: str = "", **parameters: int) -> Iterator[Case]:
    task = fewest.load(name, parameters).task
    for metric in metrics:
        yield Case(title or name, task, metric_of(task, metric))


def _full_goal(name: str, metrics: list[str]) -> Iterator[Case]:
    """A goal that is a single complete position: the last one of the puzzle's shortest plan."""
    compiled = fewest.load(name)
    task, state = compiled.task, compiled.task.initial
    result = compiled.solve()
    assert result.plan is not None
    for step in result.plan.operators:
        state = task.operators[step].apply(state)
    whole = replace(task, goal=(((1 << len(task.facts)) - 1, state),))
    for metric in metrics:
        yield Case(f"{name}, full goal", whole, metric_of(whole, metric))


def _cost(answer: Answer) -> str:
    sign = "" if answer.cost is not None else ">="
    return sign + "+".join(str(part) for part in answer.cost or answer.lower_bound)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.bidirectional", description=__doc__)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    options = parser.parse_args()
    print(
        f"{'puzzle':<28}{'metric':<19}{'fewest':>7}{'states: one side':>18}{'both':>12}{'ratio':>9}"
        f"{'seconds: one':>14}{'both':>8}"
    )
    for case in cases(options.only):
        both, one = (
            solve(engine, case.task, case.metric, LIMITS) for engine in ("bidirectional", "bfs")
        )
        if one.cost is not None and both.cost != one.cost:
            raise SystemExit(f"{case.name}: {both.cost} is not {one.cost}")
        more = "" if one.cost is not None else ">"
        states = one.statistics["states"], both.statistics["states"]
        seconds = one.statistics["seconds"], both.statistics["seconds"]
        print(
            f"{case.name:<28}{case.metric.name:<19}{_cost(both):>7}{more + f'{states[0]:,}':>18}"
            f"{states[1]:>12,}{more + f'{states[0] / states[1]:,.1f}':>9}"
            f"{more + f'{seconds[0]:.3f}':>14}{seconds[1]:>8.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
