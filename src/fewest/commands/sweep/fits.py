"""Finds closed forms for the minima of a family, and checks them against the bounds of the members that have no proven
minimum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from fewest.commands.sweep.batch import Member
from fewest.commands.sweep.closed_form import ClosedForm, ParameterValues, closed_form
from fewest.model.answer import Cost


class Fit(Struct, frozen=True):
    """A closed form for the minima, or for one part of them if the metric is a pair.

    The form holds only for the values of the parameters in `fixed`. `part` is the number of the part, counted from 0;
    None if the metric is not a pair.
    """

    form: ClosedForm
    part: int | None
    fixed: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "formula": self.form.text,
            "expression": self.form.expression,
            "part": self.part,
            "fixed": self.fixed,
            "num_values": self.form.num_values,
            "num_degrees_of_freedom": self.form.num_degrees_of_freedom,
            "proof": False,
        }


def fits(names: Sequence[str], members: Sequence[Member]) -> tuple[Fit, ...]:
    """The closed forms that match all proven minima exactly. There must be at least two more minima than unknowns.

    Only proven minima are fitted. A member without a proven minimum may have bounds: a lower bound if a limit stopped
    the search, and the cost of a plan that may not be minimal. The formula must not contradict these bounds (for a
    pair, the bounds on the first part). Unsolvable and invalid members are ignored.

    If no formula holds for all parameters together, all parameters but the one with the most values are fixed. The
    result then contains the formulas in the remaining parameter, for each combination of fixed values that has such
    formulas.
    """
    proven = [m for m in members if m.status == "optimal"]
    if not proven:
        return ()
    num_parts = len(_parts(proven[0].cost))
    whole = _fit_all(names, members, num_parts, {})
    if whole:
        return whole
    changing = {n: len({m.parameters[n] for m in proven}) for n in names}
    if sum(count > 1 for count in changing.values()) < 2:
        return ()
    free = max(names, key=lambda name: changing[name])
    others = [name for name in names if name != free]
    slices: dict[ParameterValues, list[Member]] = {}
    for member in members:
        slices.setdefault(tuple(member.parameters[n] for n in others), []).append(member)
    found: list[Fit] = []
    for point, group in slices.items():
        found += _fit_all((free,), group, num_parts, dict(zip(others, point, strict=True)))
    return tuple(found)


def _fit_all(
    names: Sequence[str], members: Sequence[Member], num_parts: int, fixed: Mapping[str, int]
) -> tuple[Fit, ...]:
    """One formula for each part of the cost; empty if some part has no formula."""
    found: list[Fit] = []
    for part in range(num_parts):
        values: dict[ParameterValues, int] = {}
        bounds: dict[ParameterValues, tuple[int | None, int | None]] = {}
        for member in members:
            point = tuple(member.parameters[name] for name in names)
            if member.status == "optimal":
                values[point] = _parts(member.cost)[part]
            elif part == 0 and member.status in ("limit", "solved"):
                low, high = _parts(member.lower_bound), _parts(member.cost)
                bounds[point] = (low[0] if low else None, high[0] if high else None)
        form = closed_form(names, values, bounds)
        if form is None:
            return ()
        found.append(Fit(form, part if num_parts > 1 else None, fixed))
    return tuple(found)


def _parts(cost: Cost | None) -> tuple[int, ...]:
    if cost is None:
        return ()
    return (cost,) if isinstance(cost, int) else cost
