"""Grounds patterns that repeat until they no longer fit: one operator for each possible end of the repetition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from fewest.grounding.grounder import Grounder
from fewest.grounding.guard import ground_guard, words
from fewest.grounding.intermediate_view import IntermediateView
from fewest.grounding.matching import Site, fits_pattern, sites_of
from fewest.grounding.partial import Change
from fewest.grounding.view import PartialView
from fewest.model.rules import Form, Pattern


class _WholePattern(NamedTuple):
    """The total change of all repetitions. `moved` contains the facts of each moved piece before and after the move;
    the piece that metrics with merged moves count is last.
    """

    moved: list[tuple[int, int]]
    removed: list[int]
    created: list[int]


def ground_repeated(rule: Pattern, grounder: Grounder) -> None:
    """Add every operator that the rule allows. The condition of the rule is evaluated once, before the first
    repetition.
    """
    bare = replace(rule, guard=replace(rule.guard, when=None, assignments=()))
    lines = _Lines(bare, grounder)
    for form, site in lines.sites:

        def decide(plain: PartialView, site: Site = site) -> _WholePattern | None:
            return lines.carried_out(IntermediateView(grounder, plain.at), site)

        for whole, at in grounder.split(decide):
            if whole is None:
                continue
            for refined, changes in ground_guard(rule.guard, grounder, form.names, at):
                grounder.add(
                    rule.name,
                    refined,
                    changes,
                    moved=whole.moved,
                    removed=whole.removed,
                    created=whole.created,
                    direction=site.direction,
                    words=words(rule.guard, form.names),
                    binding=form.binding,
                )


class _Lines:
    """The placements of a pattern on the board, and for each placement the placements that can follow."""

    def __init__(self, rule: Pattern, grounder: Grounder) -> None:
        self.rule = rule
        number = {id(form): index for index, form in enumerate(rule.forms)}
        laid = [
            s for cell in range(grounder.board.num_cells) for s in sites_of(rule, grounder, cell)
        ]
        found = [(site.form, site) for site in laid if site.form is not None]
        self.sites: list[tuple[Form, Site]] = sorted(found, key=lambda one: number[id(one[0])])
        self._from: dict[tuple[object, ...], list[Site]] = {}
        for form, site in self.sites:
            key = (site.direction, form.binding, _lead(site)[0])
            self._from.setdefault(key, []).append(site)

    def carried_out(self, view: IntermediateView, site: Site) -> _WholePattern | None:
        """The total change of the repetitions that begin at a site; None if the pattern does not fit there, or if the
        repetitions would never end.

        Raises UndecidedError.
        """
        done = self._first([site], view)
        if done is None:
            return None
        counted = done[1].moved[-1][0]
        # an application can leave all cells as they are, and still continue from another cell
        seen: set[tuple[frozenset[int], int | None]] = set()
        while done is not None:
            site, change = done
            view.change(change)
            assert site.form is not None, "a pattern is laid by its forms"
            lead = _lead(site)[1]
            if (view.net(), lead) in seen:
                return None
            seen.add((view.net(), lead))
            key = (site.direction, site.form.binding, lead)
            done = self._first(self._from.get(key, []), view)
        return _all_of(view, counted)

    def _first(self, sites: Sequence[Site], view: IntermediateView) -> tuple[Site, Change] | None:
        """The first fitting site, and its change."""
        for site in sites:
            for change in fits_pattern(self.rule, [site], view, keeps_idle=True):
                return site, change
        return None


def _lead(site: Site) -> tuple[int | None, int | None]:
    """The old and the new cell of the first moving piece."""
    assert site.form is not None and site.form.lead is not None, "the reader checked that it moves"
    start, end = site.form.lead
    return site.cells[start], site.cells[end]


def _all_of(view: IntermediateView, counted: int) -> _WholePattern:
    """The total change since the start; `counted` is the old fact of the piece that is last in `moved`."""
    went = {first: last for last, first in view.origin.items() if first is not None}
    pairs = sorted((first, last) for first, last in went.items() if first != last)
    pairs.sort(key=lambda pair: pair[0] == counted)
    removed = [fact for fact in view.known if view.before(fact) and fact not in went]
    created = [last for last, first in view.origin.items() if first is None]
    return _WholePattern(pairs, removed, created)
