"""The cases of a consequence at a site, from the cases of its motion and of its guard (`when` and `set`).

If the condition and the assignments read only variables, their cases are the same at every site. They are then computed
once for all sites, and combined with the cases of the motion at each site. This gives the same cases in the same order,
but the condition is evaluated far less often.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec.structs import replace

from fewest.errors import DocumentError
from fewest.grounding.grounder import Grounder, ManyCasesError
from fewest.grounding.guard import MOST_CALLS, Changes, assigned
from fewest.grounding.intermediate_view import IntermediateView, RuleInstance
from fewest.grounding.matching import Site, fits_pattern, fits_slide, fitting
from fewest.grounding.partial import Change, PartialState
from fewest.grounding.view import PartialView, UndecidedError
from fewest.model.rules import Guard, Names, Pattern, Rule, Slide
from fewest.model.undefined import is_undefined

GuardCases: TypeAlias = list[tuple[Changes | DocumentError, PartialState]]
"""The cases in which a condition holds, each with the assignments; in a case in which an expression has no value, the
error instead of the assignments.
"""


def independent_cases(grounder: Grounder, rule: Rule, site: Site) -> GuardCases | None:
    """The cases of the condition and the assignments of a rule at a site if they read only variables. The result is
    None if they read anything else or have many cases. It is also None for rules that test further facts after the
    condition.
    """
    if isinstance(rule, Pattern) and not rule.is_whole and site.form is not None:
        names = site.form.names
    elif isinstance(rule, Slide) and not rule.has_pushing:
        names = rule.guard.bindings[site.binding]
    else:
        return None
    key = id(rule.guard), id(names)
    if key not in grounder.cases_of_consequences:
        # The entry keeps the guard and the names alive, so that no other object can get the same id.
        cases = _cases(grounder, rule.guard, names)
        grounder.cases_of_consequences[key] = rule.guard, names, cases
    known: GuardCases | None = grounder.cases_of_consequences[key][2]
    return known


def _cases(grounder: Grounder, guard: Guard, names: Names) -> GuardCases | None:
    variables = grounder.variable_facts
    num_calls = 0

    def decide(view: PartialView) -> Changes | DocumentError | None:
        nonlocal num_calls
        num_calls += 1
        if num_calls > MOST_CALLS:
            raise ManyCasesError
        try:
            if guard.when is not None and not guard.when.evaluate(names, view):
                return None
            return assigned(guard, names, view)
        except UndecidedError as needed:
            if not all(variables.issuperset((*yes, *no)) for yes, no in needed.alternatives):
                raise ManyCasesError from None
            raise
        except DocumentError as error:
            if not is_undefined(error):
                raise
            return error

    try:
        found = grounder.split(decide)
    except ManyCasesError:
        return None
    return [(changes, at) for changes, at in found if changes is not None]


def cases_at(
    grounder: Grounder, unit: RuleInstance, site: Site, cases: GuardCases
) -> Iterator[tuple[list[Change] | DocumentError, PartialState]]:
    """The cases of a rule at a site, each with the change, from the `independent_cases` of the rule."""
    rule = replace(unit.rule, guard=replace(unit.rule.guard, when=None, assignments=()))

    def decide(plain: PartialView) -> Change | None:
        view = IntermediateView(grounder, plain.at)
        if not unit.may_fit(view):
            return None
        if isinstance(rule, Pattern):  # the assignments may change something even if no piece moves
            return next(fits_pattern(rule, [site], view, keeps_idle=True), None)
        assert isinstance(rule, Slide), "the cases are those of a slide or a pattern"
        return next(fits_slide(rule, [site], view), None)

    for motion, at in grounder.split(decide):
        if motion is None:
            continue
        # The combination of two cases is consistent only because they read different facts.
        assert at.positive.isdisjoint(grounder.variable_facts), "a motion reads no variable"
        assert at.negative.isdisjoint(grounder.variable_facts), "a motion reads no variable"
        moved, removed, created = [*motion.moved], [*motion.removed], [*motion.created]
        for changes, case in cases:
            both = PartialState(at.positive | case.positive, at.negative | case.negative)
            if isinstance(changes, DocumentError):
                yield changes, both
                continue
            change = fitting(moved, removed, created, changes)
            if change is not None:
                yield [change], both
