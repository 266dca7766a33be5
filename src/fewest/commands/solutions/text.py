"""All optimal plans as text: the figures, the plans, and the boards side by side where two plans differ."""

from __future__ import annotations

from collections.abc import Iterator

from fewest.commands.solutions.report import Solutions
from fewest.drawing.text import draw, text_width
from fewest.model.answer import counted, format_cost, limit_words
from fewest.playing.plan import Plan

_FEW = 12  # the maximum number of bottlenecks to list


def heading(solutions: Solutions) -> str:
    """The answer in one line."""
    if solutions.status == "unsolvable":
        return f"{solutions.title}: unsolvable (proven), so there is no plan"
    if solutions.minimum is None:
        return f"{solutions.title}: {limit_words(solutions.reason)}; no plan found"
    cost = counted(solutions.minimum, solutions.metric)
    stop = (
        ""
        if solutions.reason is None
        else f" ({limit_words(solutions.reason)}: some figures are missing)"
    )
    return f"{solutions.title}: {cost}; {_number(solutions)}{stop}"


def _number(solutions: Solutions) -> str:
    if solutions.num_plans == 1:
        return "the only plan"
    if solutions.num_traces is not None:
        if solutions.num_traces == 1:
            return "the only plan, up to the order of independent moves"
        return f"{solutions.num_traces:,} plans, up to the order of independent moves"
    if solutions.num_plans is not None:
        return f"{solutions.num_plans:,} plans"
    return "the plans are not counted"


def figures(solutions: Solutions) -> list[str]:
    """A line for every known figure."""
    return [f"  {key:<14} {text}" for key, text in _figures(solutions)]


def _up_to_symmetry(solutions: Solutions) -> str:
    """The number of plans up to symmetry. Without the whole symmetry group, this number is an upper bound."""
    if solutions.is_symmetry_whole:
        number = f"{solutions.num_symmetries:,} symmetries of the start"
        if solutions.num_symmetries == 1:
            number = "no symmetry of the task fixes the start"
        return f"{solutions.num_orbits:,} ({number})"
    number = f"{solutions.num_symmetries:,} symmetries of the start are known; others may exist"
    if solutions.num_symmetries == 1:
        number = "no symmetry of the start was found; symmetries may exist"
    return f"at most {solutions.num_orbits:,} ({number})"


def _figures(solutions: Solutions) -> Iterator[tuple[str, str]]:
    if solutions.num_plans is not None:
        yield "optimal plans", f"{solutions.num_plans:,}"
    if solutions.num_traces is not None:
        yield "up to order", f"{solutions.num_traces:,}"
    if solutions.uncounted is not None:
        yield "up to order", f"not counted: {solutions.uncounted}"
    if solutions.num_orbits is not None:
        yield "up to symmetry", _up_to_symmetry(solutions)
    if solutions.num_shared is not None:
        yield "shared moves", f"{solutions.num_shared:,} of {solutions.num_moves:,} different moves"
    if solutions.bottlenecks:
        left = [format_cost(one.left) for one in solutions.bottlenecks]
        if len(left) > _FEW:
            left = [*left[: _FEW - 1], "…", left[-1]]
        number = counted(len(solutions.bottlenecks), "positions")
        yield "bottlenecks", f"{number} on every plan, with {', '.join(left)} left"
    for row in solutions.beyond:
        cost = counted(row.cost, solutions.metric)
        if row.num_plans == 0 and solutions.minimum is not None:
            minimum = format_cost(solutions.minimum)
            yield "", f"at most {cost}: no plan, because the minimum is {minimum}"
            continue
        up_to_order = "" if row.num_traces is None else f", {row.num_traces:,} up to order"
        yield "", f"{cost}: {_plans(row.num_plans)}{up_to_order}"


def _plans(number: int) -> str:
    return "1 plan" if number == 1 else f"{number:,} plans"


def listing(solutions: Solutions) -> Iterator[str]:
    """The listed plans and, for every plan except the first, its first difference from the first plan."""
    for number, plan in enumerate(solutions.plans, 1):
        yield f"plan {number}:"
        yield from plan.text().splitlines()
        yield ""
    for number, plan in enumerate(solutions.plans[1:], 2):
        yield from difference(solutions.plans[0], plan, number)


def difference(first: Plan, other: Plan, number: int) -> Iterator[str]:
    """The positions of two plans after the first move in which they differ, side by side."""
    at = 0
    while (
        at < min(len(first), len(other))
        and first.counted[at].position == other.counted[at].position
    ):
        at += 1
    if at == min(len(first), len(other)):
        return
    yield f"plans 1 and {number} differ in move {at + 1}:"
    yield ""
    columns = []
    for plan in (first, other):
        move = plan.counted[at]
        columns.append([move.text, "", *draw(move.position, move.steps[-1].labels)])
    width = max(text_width(line) for line in columns[0])
    height = max(map(len, columns))
    for row in range(height):
        left, right = (column[row] if row < len(column) else "" for column in columns)
        yield f"{left}{' ' * (width - text_width(left))}   {right}".rstrip()
    yield ""
