"""Intermediate states that are only partially known, and the effects of rules on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from msgspec.structs import replace

from fewest.grounding.commands import Command
from fewest.grounding.grounder import Grounder
from fewest.grounding.matching import Site, fits_action, fits_pattern, fits_slide
from fewest.grounding.partial import Change, PartialState
from fewest.grounding.view import FactView, PartialView
from fewest.model.rules import Action, Pattern, Rule, Slide


@dataclass
class RuleInstance:
    """One rule at one cell: the placements of the rule at this cell, and the facts `needs`. The rule fits only if at
    least one of these facts is true (None: no such requirement).

    For a `once` rule, the fact `to_come` must also be true: the sweep of the rule is still to come. An instance with
    `ends_sweep` represents the end of this sweep.
    """

    rule: Rule
    cell: int
    sites: list[Site] = field(default_factory=list)
    needs: tuple[int, ...] | None = None
    # the command that pieces obey at this cell; an instance without sites ends the command
    order: Command | None = None
    to_come: int | None = None
    ends_sweep: bool = False

    def may_fit(self, view: FactView) -> bool:
        """Returns False if the command is not pending, if the sweep of the rule is over, or if no fact in `needs` can
        be true. This quick test comes before the sites are tested, because most rules fit nowhere.
        """
        if self.order is not None and not view.truth(self.order.given):
            return False
        if self.to_come is not None and not view.truth(self.to_come):
            return False
        if self.needs is None:
            return True
        for fact in self.needs:  # noqa: SIM110 - a loop takes half the time
            if view.truth(fact) is not False:
                return True
        return False


class IntermediateView(FactView):
    """A partial state after some changes. The changes determine the values of all facts that they affect.

    All other facts keep their values. Therefore, a fact that is undecided here is also undecided in the partial state,
    and the alternatives refine the partial state.
    """

    def __init__(self, grounder: Grounder, at: PartialState) -> None:
        self.facts = grounder
        self.grounder = grounder
        self._before = PartialView(grounder, at)
        self._first: dict[int, bool | None] = {}
        self.known: dict[int, bool] = {}
        # for each added fact, the fact of the same piece before all changes; None if the piece is new
        self.origin: dict[int, int | None] = {}

    def copy(self) -> IntermediateView:
        """A copy to which further changes can be made."""
        return self.refined(self._before.at)

    def refined(self, at: PartialState) -> IntermediateView:
        """A copy with the same changes to a partial state with more facts."""
        view = IntermediateView(self.grounder, at)
        view._first = {fact: known for fact, known in self._first.items() if known is not None}
        view.known, view.origin = dict(self.known), dict(self.origin)
        return view

    def truth(self, fact: int) -> bool | None:
        known = self.known.get(fact)
        if known is not None:
            return known
        first = self._first
        if fact in first:
            return first[fact]
        found = first[fact] = self._before.truth(fact)
        return found

    def _at_first(self, fact: int) -> bool | None:
        """The value of a fact in the partial state. Called often, so it must be fast."""
        if fact not in self._first:
            self._first[fact] = self._before.truth(fact)
        return self._first[fact]

    def before(self, fact: int) -> bool:
        """Whether a changed fact was true before all changes."""
        found = self._at_first(fact)
        assert found is not None, "what changes was decided"
        return found

    def change(self, fitting: Change) -> None:
        """Apply a change."""
        origins = [self.origin.pop(source, source) for source, _ in fitting.moved]
        for fact in fitting.removed:
            self.origin.pop(fact, None)
        self.known.update(dict.fromkeys(fitting.deleted, False))
        self.known.update(dict.fromkeys(fitting.added, True))
        self.origin.update(zip((target for _, target in fitting.moved), origins, strict=True))
        self.origin.update(dict.fromkeys(fitting.created))

    def net(self) -> frozenset[int]:
        """The facts that differ from their value before all changes."""
        return frozenset(fact for fact, now in self.known.items() if now != self.before(fact))


def fits(unit: RuleInstance, view: IntermediateView) -> Iterator[Change]:
    """The effects of the rule at its cell, site by site. Raises UndecidedError, and DocumentError if an expression has
    no value.
    """
    if not unit.may_fit(view):
        return iter(())
    if unit.order is not None:
        return _executed(unit, unit.order, view)
    if unit.ends_sweep:
        return iter([end_of_turn(unit)])
    if isinstance(unit.rule, Action):
        found = fits_action(unit.rule, view)
        return iter(() if found is None else [found])
    if isinstance(unit.rule, Pattern):
        return fits_pattern(unit.rule, unit.sites, view)
    assert isinstance(unit.rule, Slide), "a ring is no consequence"
    return fits_slide(unit.rule, unit.sites, view)


def end_of_turn(unit: RuleInstance) -> Change:
    """The change that ends the sweep of a `once` rule."""
    assert unit.to_come is not None, "a rule with one turn has this fact"
    return Change((), (), (), frozenset((unit.to_come,)), frozenset())


def _executed(unit: RuleInstance, order: Command, view: IntermediateView) -> Iterator[Change]:
    """The effects of a pending command at a cell; if the instance has no sites, the change that ends the command."""
    if unit.sites:
        assert isinstance(unit.rule, Slide), "an order makes pieces slide"
        for change in fits_slide(unit.rule, unit.sites, view):
            yield replace(change, added=change.added | {order.moved})
    elif view.truth(order.moved):
        yield Change((), (), (), frozenset((order.given, order.moved)), frozenset())
